import Dispatch
import FileSystem
public import Foundation
import Glibc
public import MediaTypes
import MovieFile
import RealTime

/// Exports a movie from an asset, re-encoded or with its samples passed through. Modeled on AVFoundation's
/// `AVAssetExportSession`.
///
/// ```swift
/// let session = try ExportSession(asset: Asset(url: input), preset: .size1280x720)
/// try await session.export(to: output)
/// ```
///
/// Reading, decoding, encoding and writing overlap, so that all processors are used. Rotation, clean aperture, pixel
/// aspect ratio, color tags, languages, metadata, chapters, timecode, every frame's own timestamp and the offset of the
/// audio are kept. Anything that cannot be kept is listed in `report`. Any thread may call.
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

    /// A step applied to the finalized movie at a path, before it gets its final name. Called once, on a thread that
    /// may wait.
    package typealias Completion = @Sendable (_ path: String) throws(MediaError) -> Void

    let shared = Locked(Shared())

    /// Creates a session.
    ///
    /// - Throws: `invalidSettings` for an unknown preset.
    public init(asset: Asset, preset: ExportPreset = .highQuality) throws(MediaError) {
        if preset != .passthrough { _ = try SettingsAssistant(preset: preset) }
        self.asset = asset
        self.preset = preset
    }

    public var status: ExportStatus { shared.withLock { $0.state.status } }
    /// The error of the export; set exactly if `status` is `failed`.
    public var error: MediaError? { shared.withLock { $0.state.error } }
    /// The completed part, from 0 to 1.
    public var progress: Double {
        shared.withLock { shared in
            if let run = shared.run { shared.state.record(progress: run.progress) }
            return shared.state.progress
        }
    }
    /// The losses: what was left out, and damage in the source. The report is available once the export has begun, and
    /// grows until the export ends.
    public var report: ExportReport { shared.withLock { $0.report } }
    public var configuration: Configuration { shared.withLock { $0.configuration } }

    /// Changes the configuration.
    ///
    /// - Throws: `invalidState` once exporting has started; `invalidSettings`, with the name of the property, for an
    ///   invalid value. The configuration is then unchanged.
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

    /// Sets a step that completes the movie before it gets its final name. An error of `completion` fails the export.
    ///
    /// - Throws: `invalidState` once exporting has started.
    package func complete(by completion: @escaping Completion) throws(MediaError) {
        try shared.withLock { shared throws(MediaError) in
            try shared.state.requireUnstarted("cannot set the completion step of the export")
            shared.completion = completion
        }
    }

    /// Exports the movie. Returns once it is finalized, synced and has its final name.
    ///
    /// - Parameter fileType: the container. If nil, the file extension decides, or `.mov` is used for a name without
    ///   extension.
    /// - Throws: the first error; `cancelled` after `cancelExport` or if the task is cancelled; `invalidState` for a
    ///   second export. After a failure, no new file is left, and an existing file is unchanged.
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

    /// Runs an export that has begun. Blocks the calling thread until it has ended.
    func outcome(_ url: URL, _ fileType: FileType?) -> Result<Void, MediaError> {
        let result = Result { () throws(MediaError) in try self.run(url, fileType) }
        let failure: MediaError? = if case .failure(let error) = result { error } else { nil }
        shared.withLock { shared in
            shared.run = nil
            shared.state.end(failure)
        }
        return result
    }

    /// Cancels the export: `export` throws `cancelled` and leaves no file. Does nothing if the export has ended, or if
    /// the movie is finalized and only lacks its final name. Never blocks.
    public func cancelExport() {
        let run = shared.withLock { shared in
            shared.state.cancel()
            return shared.run
        }
        run?.cancel()
    }

    /// Returns the states of the export: the present one immediately, then one at each interval. The sequence ends with
    /// the export.
    ///
    /// - Parameter interval: the interval in seconds.
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
                    // This is only the requested interval. No condition is awaited here.
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
        let facts = try ExportSource(blocking: asset) { self.shared.withLock { $0.state.isCancelled } }
        let plan = try ExportPlan(facts, preset: preset, configuration, fileType: type).part(configuration.part)
        if configuration.fileLengthLimit > 0, let factor = plan.repeatedFactor {
            let limit = configuration.fileLengthLimit
            try carryOut(plan, to: url, QualitySearch(limit: limit, first: factor))
        } else if configuration.fileLengthLimit > 0 {
            try carryOut(plan, to: url, within: SizeBudget(limit: configuration.fileLengthLimit))
        } else if shared.withLock({ $0.completion }) != nil {
            try publish(try makeTrial(plan, of: url), as: url)
        } else {
            try carryOut(plan, to: url)
        }
    }

    /// A file that is checked before it gets its final name.
    private struct Trial {
        let path: String
        let identity: DiskFile.Identity?
        let size: Int64

        /// Deletes the file, unless another file has its name by now.
        func remove() { DiskFile.remove(path, ifStill: identity) }
    }

    /// Creates a file with a private name in the same directory; the extension selects the container.
    private func makeTrial(_ plan: ExportPlan, of url: URL) throws(MediaError) -> Trial {
        let suffix = url.pathExtension.isEmpty ? "trial" : "trial.\(url.pathExtension)"
        let path = PrivateName.beside(url.path, for: suffix)
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

    /// Completes the trial file and gives it its final name. Deletes it after a failure.
    private func publish(_ trial: Trial, as url: URL) throws(MediaError) {
        do throws(MediaError) {
            try shared.withLock { $0.completion }?(trial.path)
            try DiskFile.rename(trial.path, to: url.path, replacing: configuration.overwritesExistingFile)
        } catch {
            trial.remove()
            throw error
        }
    }

    /// Encodes repeatedly until the file is small enough, then gives the file its final name.
    private func carryOut(_ plan: ExportPlan, to url: URL, within budget: SizeBudget) throws(MediaError) {
        var budget = budget
        for _ in 1...4 {
            let attempt = try budget.applied(to: plan)
            let trial = try makeTrial(attempt, of: url)
            guard !budget.holds(trial.size) else { return try publish(trial, as: url) }
            trial.remove()
            budget.shrink(size: trial.size, of: attempt)
        }
        throw Self.tooLarge(url, plan)
    }

    /// Variant for an encoder without two-pass mode. Tries a few constant qualities, and keeps the best one whose file
    /// is small enough.
    private func carryOut(_ plan: ExportPlan, to url: URL, _ search: QualitySearch) throws(MediaError) {
        var search = search
        var kept: Trial?
        do throws(MediaError) {
            while let factor = search.next {
                let trial = try makeTrial(plan.encoded(at: factor), of: url)
                search.record(size: trial.size, at: factor)
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
        guard let kept else { throw Self.tooLarge(url, plan) }
        try publish(kept, as: url)
    }

    private static func tooLarge(_ url: URL, _ plan: ExportPlan) -> MediaError {
        let encodesVideo = plan.outputs.contains { $0.videoSettings != nil }
        return MediaError(
            .codecFailure, "cannot make \(url.path) small enough",
            reason: "every attempt was larger than \(plan.configuration.fileLengthLimit) bytes",
            wayOut: "choose \(encodesVideo ? "a smaller frame size or " : "")a shorter time range")
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
            let (damage, lost) = (run.damage, run.lostInSamples)
            shared.withLock { [missing] in
                $0.report.damage = damage
                $0.report.lostInSamples = lost
                $0.report.leftOut = plan.leftOut + missing + lost
            }
        }
        try run.finish()
        missing = run.tracksWithoutSamples
    }
}

extension ExportPlan {
    /// The first quality factor of the search for a file size, for AV1 video; nil for all other codecs.
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

    /// The same plan for a file with a private name. Such a file replaces no existing file.
    fileprivate var replacingNothing: ExportPlan {
        var plan = self
        plan.configuration.overwritesExistingFile = false
        return plan
    }
}
