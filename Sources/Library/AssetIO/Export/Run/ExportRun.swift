import Foundation
import MediaCodecs
import MediaTypes
import RealTime

/// One attempt to make a movie according to a plan. Owns the reader, the writer and the transcode.
final class ExportRun: Sendable {
    private let plan: ExportPlan
    private let reader: AssetReader
    private let transcode: Transcode
    private let writer: AssetWriter
    /// The tracks' inputs, in the order of the plan.
    private let inputs: [AssetWriterInput]

    /// Opens the asset and the output. Blocks while headers are read.
    ///
    /// - Throws: the errors of opening the asset, the output or an encoder. In that case, no file is left.
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
        let builder = TranscodeTrackBuilder(plan: plan, asset: asset, reader: reader)
        var tracks: [TranscodeTrack] = []
        var audioTracks = 0
        for planned in plan.outputs {
            tracks.append(try builder.build(planned, audioTracks: audioTracks))
            if planned.audioSettings != nil { audioTracks += 1 }
        }
        inputs = tracks.map(\.input)
        for input in inputs { try writer.add(input) }
        try TrackRelations(plan.outputs, inputs).carry(into: writer)
        let timecode = try TimecodeOutput(plan.timecode, of: inputs)
        if let timecode { try writer.add(timecode.input) }
        if !reader.outputs.isEmpty { try reader.startReading() }
        do throws(MediaError) {
            try writer.startWriting()
            try writer.startSession(atSourceTime: plan.sessionStart ?? plan.range.start)
            try timecode?.begin(at: plan.range.start)
            transcode = Transcode(writer: writer, tracks: tracks)
        } catch {
            writer.cancelWriting()
            writer.removeWhatIsLeft()
            throw error
        }
    }

    /// Blocks the calling thread until the movie is finalized.
    ///
    /// - Throws: the first error; `cancelled` after `cancel`. In both cases, no file is left.
    func finish() throws(MediaError) {
        do throws(MediaError) {
            try transcode.run(endingAt: plan.presentationEnd, chapters: plan.chapters)
        } catch {
            throw explained(error)
        }
    }

    /// Returns the error to report: the given one or, if there was nothing to write, one that states why.
    private func explained(_ error: MediaError) -> MediaError {
        guard error.code == .invalidState, emptyTracks.count == plan.outputs.count else { return error }
        let action = "cannot re-encode \(reader.asset.origin.name)"
        if let damage = damage.first {
            return MediaError(
                .corruptData, action, reason: "none of it can be decoded: \(damage.reason)",
                wayOut: "the file is damaged, or encrypted but not marked as encrypted")
        }
        guard plan.range.start > .zero else {
            return MediaError(.corruptData, action, reason: "it has no samples")
        }
        return MediaError(
            .invalidSettings, "cannot export from \(plan.range.start.words)",
            reason: "\(reader.asset.origin.name) has no samples there")
    }

    private var emptyTracks: [Int] { transcode.emptyTracks(from: plan.sessionStart ?? plan.range.start) }

    /// The tracks that the finished movie lacks, because none of their samples was written; one line each.
    var tracksWithoutSamples: [String] {
        let isFromStart = plan.range.start <= .zero
        return emptyTracks.compactMap { index in
            guard plan.outputs.indices.contains(index), let track = plan.outputs[index].track,
                track.mediaType == .video || track.mediaType == .audio,
                // Nothing is lost of a track that is empty in the source.
                !isFromStart || track.timeRange.duration > .zero
            else { return nil }
            return "track \(track.id), \(track.mediaType) (\(track.codecName)): it has no samples "
                + (isFromStart ? "that could be written" : "from \(plan.range.start.words)")
        }
    }

    /// The damage found until now.
    var damage: [DamagedTimeRange] { reader.damagedTimeRanges }

    /// The losses that were found until now in what was decoded; one line each.
    var lostInSamples: [String] { frameMetadata + invalidAudio }

    /// The metadata of frames that re-encoding loses; one line each.
    private var frameMetadata: [String] {
        reader.outputs.flatMap { output -> [String] in
            let found = output.core.configuration.frameMetadata?.found ?? []
            let track = (output as? TrackOutput).map { "track \($0.track.id): " } ?? ""
            return found.lines.map { "\(track)\($0): only passthrough keeps it" }
        }
    }

    /// The audio that became silence because its values are not numbers, or far too loud; one line each.
    private var invalidAudio: [String] {
        zip(plan.outputs, inputs).compactMap { planned, input in
            let count = input.silencedValues
            guard count > 0 else { return nil }
            let track = planned.track.map { "track \($0.id): " } ?? ""
            return "\(track)\(count) values of the audio are not numbers, or far too loud: silence instead"
        }
    }

    /// Cancels the run. Thread-safe.
    func cancel() { transcode.cancel() }

    /// The part of the range that every track has reached.
    var progress: Double {
        let length = plan.range.duration.seconds
        return length > 0 ? max(0, (transcode.time - plan.range.start).seconds / length) : 0
    }
}

extension AssetWriter.Configuration {
    fileprivate mutating func set(_ plan: ExportPlan) {
        metadata = plan.metadata
        if let date = plan.creationDate ?? plan.configuration.undatedCreationDate { creationDate = date }
        // After a crash, a movie made from a file can be made again.
        isRecoverable = false
        overwritesExistingFile = plan.configuration.overwritesExistingFile
        shouldOptimizeForNetworkUse = plan.configuration.shouldOptimizeForNetworkUse
        directoryForTemporaryFiles = plan.configuration.directoryForTemporaryFiles
    }
}

/// The timecode of the output: one sample with the number of the first frame.
struct TimecodeOutput {
    let input: AssetWriterInput
    private let timecode: AssetTimecode

    /// Returns nil if there is no timecode, or if no track can refer to the timecode track.
    init?(_ timecode: AssetTimecode?, of inputs: [AssetWriterInput]) throws(MediaError) {
        guard let timecode,
            let main = inputs.first(where: { $0.mediaType == .video })
                ?? inputs.first(where: { $0.mediaType == .audio })
        else { return nil }
        self.timecode = timecode
        input = try AssetWriterInput(
            mediaType: .timecode, outputSettings: nil, sourceFormatHint: .timecode(timecode.format))
        // The timecode has only one sample, and no other track should wait for it.
        try input.configure { $0.expectsMediaDataInRealTime = true }
        try main.addTrackAssociation(withTrackOf: input, type: .timecode)
    }

    func begin(at start: MediaTime) throws(MediaError) {
        try input.append(timecode.format.sample(frameNumber: timecode.frameNumber, at: start))
        input.markAsFinished()
    }
}
