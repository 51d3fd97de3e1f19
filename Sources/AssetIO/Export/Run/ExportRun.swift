import Foundation
import MediaTypes
import RealTime

/// One try at making a movie by a plan: reader, writer and tandem.
final class ExportRun: Sendable {
    private let plan: ExportPlan
    private let reader: AssetReader
    private let tandem: Tandem
    private let writer: AssetWriter

    /// Opens the asset and the output. Blocks while headers are read.
    ///
    /// - Throws: what opening either, or an encoder, throws; nothing is left then.
    init(_ plan: ExportPlan, asset: Asset, to url: URL) throws(MediaError) {
        self.plan = plan
        let writer = try AssetWriter(outputURL: url, fileType: plan.fileType)
        self.writer = writer
        let reader = try AssetReader(asset: asset)
        self.reader = reader
        try reader.configure {
            let range = plan.readRange(of: asset)
            if !range.isEmpty { $0.timeRange = range }
            $0.skipsDamagedMedia = plan.configuration.skipsDamagedMedia
        }
        try writer.configure {
            $0.set(plan)
            $0.writesChapters = !plan.chapters.isEmpty
        }
        let builder = LaneBuilder(plan: plan, asset: asset, reader: reader)
        var lanes: [Lane] = []
        for lane in plan.lanes { lanes.append(try builder.build(lane)) }
        for lane in lanes { try writer.add(lane.input) }
        let timecode = try TimecodeLane(plan.timecode, of: lanes.map(\.input))
        if let timecode { try writer.add(timecode.input) }
        if !reader.outputs.isEmpty { try reader.startReading() }
        do throws(MediaError) {
            try writer.startWriting()
            try writer.startSession(atSourceTime: plan.range.start)
            try timecode?.begin(at: plan.range.start)
            tandem = Tandem(writer: writer, lanes: lanes)
        } catch {
            writer.cancelWriting()
            writer.core.destination.discard()
            throw error
        }
    }

    /// - Throws: what failed first, `cancelled` after `cancel`; nothing is left then.
    func finish() async throws(MediaError) {
        do throws(MediaError) {
            try await tandem.run(endingAt: plan.cutsEnd ? plan.range.end : nil, chapters: plan.chapters)
        } catch {
            throw explained(error)
        }
    }

    /// Why there is nothing to write, where that is what went wrong.
    private func explained(_ error: MediaError) -> MediaError {
        guard error.code == .invalidState, !tandem.hasSamples else { return error }
        let action = "cannot re-encode \(reader.asset.origin.name)"
        if let damage = damage.first {
            return MediaError(
                .corruptData, action, reason: "nothing of it can be decoded: \(damage.reason)",
                wayOut: "the file is damaged, or encrypted by a way that it does not tell")
        }
        guard plan.range.start > .zero else {
            return MediaError(.corruptData, action, reason: "there is no sample in it")
        }
        return MediaError(
            .invalidSettings, "cannot export from \(plan.range.start.words) on",
            reason: "\(reader.asset.origin.name) has nothing there")
    }

    /// What was left out up to now.
    var damage: [DamagedTimeRange] { reader.damagedTimeRanges }

    /// Any thread, any time.
    func cancel() { tandem.cancel() }

    /// The part of the range that every track has reached.
    var progress: Double {
        let length = plan.range.duration.seconds
        return length > 0 ? max(0, (tandem.time - plan.range.start).seconds / length) : 0
    }
}

extension AssetWriter.Configuration {
    fileprivate mutating func set(_ plan: ExportPlan) {
        metadata = plan.metadata
        if let date = plan.creationDate { creationDate = date }
        // What is made from a file can be made again.
        isRecoverable = false
        overwritesExistingFile = plan.configuration.overwritesExistingFile
        shouldOptimizeForNetworkUse = plan.configuration.shouldOptimizeForNetworkUse
        directoryForTemporaryFiles = plan.configuration.directoryForTemporaryFiles
    }
}
