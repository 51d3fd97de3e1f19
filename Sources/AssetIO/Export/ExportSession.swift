import Dispatch
import FileSystem
public import Foundation
import Glibc
public import MediaTypes
import MovieFile
import RealTime

/// Makes a movie from an asset: re-encoded, or with its samples as they are. The model is AVFoundation's
/// `AVAssetExportSession`.
///
/// ```swift
/// let session = try ExportSession(asset: Asset(url: input), preset: .size1280x720)
/// try await session.export(to: output)
/// ```
///
/// Reading, decoding, encoding and writing overlap, so that all processors work. What is carried over: rotation, clean
/// aperture, pixel aspect, colour, languages, metadata, chapters, timecode, every picture's own time, and the offset of the
/// sound. What cannot be is in `report`. Any thread may call.
public final class ExportSession: Sendable {
    public let asset: Asset
    public let preset: ExportPreset

    struct Shared {
        var configuration = Configuration()
        var state = ExportState()
        var run: ExportRun?
        var report = ExportReport()
        var completion: Completion?
    }

    /// What is done to the movie at a path once it is whole, before it gets its name. Called once, on a thread that may wait.
    package typealias Completion = @Sendable (_ path: String) throws(MediaError) -> Void

    let shared = Locked(Shared())

    /// - Throws: `invalidSettings` for a name that is no preset.
    public init(asset: Asset, preset: ExportPreset = .highQuality) throws(MediaError) {
        if preset != .passthrough { _ = try SettingsAssistant(preset: preset) }
        self.asset = asset
        self.preset = preset
    }

    public var status: ExportStatus { shared.withLock { $0.state.status } }
    /// Why the export failed; set exactly when `status` is `failed`.
    public var error: MediaError? { shared.withLock { $0.state.error } }
    /// The part that is done, 0 to 1.
    public var progress: Double {
        shared.withLock { shared in
            if let run = shared.run { shared.state.note(progress: run.progress) }
            return shared.state.progress
        }
    }
    /// What was left out, and what was damaged: once the export has begun and grown until it ends.
    public var report: ExportReport { shared.withLock { $0.report } }
    public var configuration: Configuration { shared.withLock { $0.configuration } }

    /// Changes what can be chosen.
    ///
    /// - Throws: `invalidState` once exporting has started, `invalidSettings` naming what cannot be. Nothing is changed then.
    public func configure(_ change: (inout Configuration) -> Void) throws(MediaError) {
        try shared.withLock { shared throws(MediaError) in
            try shared.state.requireUnstarted("cannot configure the export")
            var changed = shared.configuration
            change(&changed)
            if let fault = changed.fault {
                throw MediaError(.invalidSettings, "cannot configure the export", reason: fault)
            }
            shared.configuration = changed
        }
    }

    /// Has something added to the movie before it gets its name. What `completion` throws fails the export.
    ///
    /// - Throws: `invalidState` once exporting has started.
    package func complete(by completion: @escaping Completion) throws(MediaError) {
        try shared.withLock { shared throws(MediaError) in
            try shared.state.requireUnstarted("cannot add to the export")
            shared.completion = completion
        }
    }

    /// Makes the movie. Returns once it is whole, synced and has its name.
    ///
    /// - Parameter fileType: nil: what the name's extension says, `.mov` for a name without one.
    /// - Throws: what went wrong first, `cancelled` after `cancelExport` or when the task is cancelled; no file is left
    ///   then, and one that was there is untouched. `invalidState` for a second export.
    public func export(to url: URL, as fileType: FileType? = nil) async throws(MediaError) {
        try begin()
        let result = await withTaskCancellationHandler {
            await DispatchQueue(label: "recorder.export").result { self.outcome(url, fileType) }
        } onCancel: {
            cancelExport()
        }
        try result.get()
    }

    func begin() throws(MediaError) {
        try shared.withLock { shared throws(MediaError) in try shared.state.begin() }
    }

    /// Makes the movie of an export that has begun. Blocks the calling thread until it has ended.
    func outcome(_ url: URL, _ fileType: FileType?) -> Result<Void, MediaError> {
        let result = Result { () throws(MediaError) in try self.run(url, fileType) }
        let failure: MediaError? = if case .failure(let error) = result { error } else { nil }
        shared.withLock { shared in
            shared.run = nil
            shared.state.end(failure)
        }
        return result
    }

    /// Ends the export: `export` throws `cancelled` and leaves nothing. Does nothing when it has ended, or when its movie is
    /// whole but for its name. Never blocks.
    public func cancelExport() {
        let run = shared.withLock { shared in
            shared.state.cancel()
            return shared.run
        }
        run?.cancel()
    }

    /// How the export stands, at once and then every so often; ends with it.
    ///
    /// - Parameter interval: seconds from one to the next.
    public func states(updateInterval interval: Double = 0.5) -> AsyncStream<State> {
        AsyncStream { continuation in
            let task = Task {
                while !Task.isCancelled {
                    let progress = progress
                    let (status, isRunning) = shared.withLock { ($0.state.status, $0.run != nil) }
                    switch status {
                    case .unknown: continuation.yield(.pending)
                    case .exporting: continuation.yield(isRunning ? .exporting(progress: progress) : .waiting)
                    case .completed, .failed, .cancelled:
                        if status == .completed { continuation.yield(.exporting(progress: 1)) }
                        return continuation.finish()
                    }
                    // The interval that was asked for, no condition.
                    try? await Task.sleep(nanoseconds: UInt64(clamping: max(0.001, min(interval, 3600)) * 1e9))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func run(_ url: URL, _ fileType: FileType?) throws(MediaError) {
        let configuration = configuration
        try ExportOutput.check(url, of: asset, overwrites: configuration.overwritesExistingFile)
        let type = try OutputPath.fileType(fileType, for: url)
        let facts = try ExportFacts(blocking: asset) { self.shared.withLock { $0.state.isCancelled } }
        let plan = try ExportPlan(facts, preset: preset, configuration, fileType: type).part(configuration.part)
        if configuration.fileLengthLimit > 0, let factor = plan.repeatedFactor {
            let limit = configuration.fileLengthLimit
            try carryOut(plan, to: url, within: limit, QualitySearch(limit: limit, first: factor))
        } else if configuration.fileLengthLimit > 0 {
            try carryOut(plan, to: url, within: SizeBudget(limit: configuration.fileLengthLimit))
        } else if shared.withLock({ $0.completion }) != nil {
            try publish(try makeTrial(plan, of: url), as: url)
        } else {
            try carryOut(plan, to: url)
        }
    }

    /// A file that was made to be looked at before it gets its name.
    private struct Trial {
        let path: String
        let identity: DiskFile.Identity?
        let size: Int64

        /// Deletes the file, and no other that has its name by now.
        func remove() { DiskFile.remove(path, ifStill: identity) }
    }

    /// Makes a file under a name of its own in the same directory; the extension says the container.
    private func makeTrial(_ plan: ExportPlan, of url: URL) throws(MediaError) -> Trial {
        let suffix = url.pathExtension.isEmpty ? "trial" : "trial.\(url.pathExtension)"
        let path = DiskFile.privateName(beside: url.path, for: suffix)
        try carryOut(plan.replacingNothing, to: URL(fileURLWithPath: path))
        let identity = DiskFile.Identity(of: path)
        do throws(MediaError) {
            let file = try DiskFile(path: path, mode: .read)
            defer { file.close() }
            return Trial(path: path, identity: file.identity, size: Int64(clamping: try file.size()))
        } catch {
            DiskFile.remove(path, ifStill: identity)
            throw error
        }
    }

    /// Completes what was tried, and gives it its name; nothing is left of it otherwise.
    private func publish(_ trial: Trial, as url: URL) throws(MediaError) {
        do throws(MediaError) {
            try shared.withLock { $0.completion }?(trial.path)
            try DiskFile.rename(trial.path, to: url.path, replacing: configuration.overwritesExistingFile)
        } catch {
            trial.remove()
            throw error
        }
    }

    /// Tries until the file is small enough; it gets its name when it is.
    private func carryOut(_ plan: ExportPlan, to url: URL, within budget: SizeBudget) throws(MediaError) {
        var budget = budget
        for _ in 1...4 {
            let trial = try makeTrial(try budget.applied(to: plan), of: url)
            guard !budget.holds(trial.size) else { return try publish(trial, as: url) }
            trial.remove()
            budget.shrink(size: trial.size)
        }
        throw Self.tooLarge(url, plan.configuration.fileLengthLimit)
    }

    /// The same for an encoder that cannot look twice: the best of a few constant qualities that is small enough.
    private func carryOut(
        _ plan: ExportPlan, to url: URL, within limit: Int64, _ search: QualitySearch
    ) throws(MediaError) {
        var search = search
        var kept: Trial?
        do throws(MediaError) {
            while let factor = search.next {
                let trial = try makeTrial(plan.encoded(at: factor), of: url)
                search.note(size: trial.size, at: factor)
                guard search.best == factor else {
                    trial.remove()
                    continue
                }
                kept?.remove()
                kept = trial
            }
        } catch {
            kept?.remove()
            throw error
        }
        guard let kept else { throw Self.tooLarge(url, limit) }
        try publish(kept, as: url)
    }

    private static func tooLarge(_ url: URL, _ limit: Int64) -> MediaError {
        MediaError(
            .codecFailure, "cannot make \(url.path) small enough",
            reason: "every try came out larger than \(limit) bytes",
            wayOut: "choose a smaller size, or a shorter part")
    }

    private func carryOut(_ plan: ExportPlan, to url: URL) throws(MediaError) {
        let run = try ExportRun(plan, asset: asset, to: url)
        let isCancelled = shared.withLock { shared in
            shared.run = run
            shared.report.leftOut = plan.leftOut
            return shared.state.isCancelled
        }
        if isCancelled { run.cancel() }
        var missing: [String] = []
        defer {
            let (damage, lost) = (run.damage, run.lostWithPictures)
            shared.withLock { [missing] in
                $0.report.damage = damage
                $0.report.lostWithPictures = lost
                $0.report.leftOut = plan.leftOut + missing + lost
            }
        }
        try run.finish()
        missing = run.tracksWithoutSamples
    }
}

extension ExportPlan {
    /// Where pictures become AV1: the factor that a search for a size begins with. nil for all others.
    fileprivate var repeatedFactor: Int? {
        let settings = outputs.lazy.compactMap(\.videoSettings).first { $0.codec == .av1 }
        return settings.map { Int(clamping: ($0.rateControl.factor(most: 63) ?? 35).rounded()) }
    }

    fileprivate func encoded(at factor: Int) -> ExportPlan {
        var plan = self
        for index in plan.outputs.indices where plan.outputs[index].videoSettings?.codec == .av1 {
            plan.outputs[index].set(factor: factor)
        }
        return plan
    }

    /// For a file with a name of its own.
    fileprivate var replacingNothing: ExportPlan {
        var plan = self
        plan.configuration.overwritesExistingFile = false
        return plan
    }
}
