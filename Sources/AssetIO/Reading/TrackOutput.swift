import Dispatch
public import MediaTypes
import RealTime

/// Reads the samples of one track of an asset. The model is AVFoundation's `AVAssetReaderTrackOutput`.
///
/// Each output reads the file for itself and leaves the other tracks out: outputs can be read in any order, one to its
/// end before the other, in bounded memory. Any thread may call; two that read at once take turns.
public final class TrackOutput: Sendable {
    public let track: AssetTrack
    /// nil: samples come as they are stored.
    public let outputSettings: Settings?

    private struct State {
        var configuration = Configuration()
        var core: ReaderCore?
        var timeRange = TimeRange(start: .zero, end: .positiveInfinity)
        var source: TrackSource?
        /// Somebody reads right now.
        var isBusy = false
        /// The last range has ended.
        var isDrained = false
        var isFinal = false
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "recorder.track-output")

    /// - Throws: `invalidSettings` for settings of another media type, or out of range.
    public init(track: AssetTrack, outputSettings: Settings? = nil) throws(MediaError) {
        let action = "cannot make an output for track \(track.id)"
        if let outputSettings {
            guard outputSettings.mediaType == track.mediaType else {
                throw MediaError(
                    .invalidSettings, action,
                    reason: "its settings are for \(outputSettings.mediaType), the track is \(track.mediaType)")
            }
            if case .pcm(let form) = outputSettings, let fault = form.fault {
                throw MediaError(.invalidSettings, action, reason: fault)
            }
        }
        self.track = track
        self.outputSettings = outputSettings
    }

    public var mediaType: MediaType { track.mediaType }
    public var alwaysCopiesSampleData: Bool { state.withLock { $0.configuration.alwaysCopiesSampleData } }
    public var supportsRandomAccess: Bool { state.withLock { $0.configuration.supportsRandomAccess } }

    /// How many times memory for pictures was taken from the system: flat once reading runs.
    var allocationCount: Int { state.withLock { $0.source?.allocationCount ?? 0 } }

    /// Changes what can be chosen.
    ///
    /// - Throws: `invalidState` once reading has started.
    public func configure(_ change: (inout Configuration) -> Void) throws(MediaError) {
        let isDone = state.withLock { state in
            guard state.source == nil, state.core.map({ $0.status == .unknown }) ?? true else { return false }
            change(&state.configuration)
            return true
        }
        if !isDone {
            throw MediaError(.invalidState, "cannot configure an output", reason: "reading has started already")
        }
    }

    /// The next sample; blocks while it is read and decoded.
    ///
    /// Pictures come in the order of showing them, stored samples in that of the file. Of stored video those before the
    /// reader's time range come too that decoding needs.
    ///
    /// - Returns: nil at the end, and after a failure or cancellation: the reader's `status` says which.
    public func copyNextSampleBuffer() -> SampleBuffer? {
        guard let (source, core) = claim() else { return nil }
        defer { release() }
        guard core.isReading else { return nil }
        do throws(MediaError) {
            if let sample = try source.next() { return core.isReading ? sample : nil }
            let isOver = state.withLock { state in
                state.isDrained = true
                return state.isFinal || !state.configuration.supportsRandomAccess
            }
            if isOver { core.finish(ObjectIdentifier(self)) }
        } catch {
            core.fail(error)
        }
        return nil
    }

    /// The next sample; nil at the end. Suspends while it is read and decoded, on a thread of the output's own.
    ///
    /// - Throws: why the reader failed, `cancelled` after `cancelReading` or when the task is cancelled, `invalidState`
    ///   before `startReading`.
    public func next() async throws(MediaError) -> SampleBuffer? {
        let action = "cannot read track \(track.id)"
        if Task.isCancelled { throw MediaError(.cancelled, action, reason: "the task was cancelled") }
        let sample = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.copyNextSampleBuffer()) }
        }
        if let sample { return sample }
        let reading = state.withLock { $0.core }?.reading
        switch reading?.status ?? .unknown {
        case .unknown: throw MediaError(.invalidState, action, reason: "reading has not started")
        case .failed: throw reading?.error ?? MediaError(.ioFailure, action, reason: "the reader failed")
        case .cancelled: throw MediaError(.cancelled, action, reason: "reading was cancelled")
        case .reading, .completed: return nil
        }
    }

    /// Reads other ranges, or the same once more, after `copyNextSampleBuffer` has returned nil.
    ///
    /// - Parameter ranges: in ascending order, not overlapping; none ends the output.
    /// - Throws: `invalidState` unless `supportsRandomAccess`, before the end of the former ranges, after
    ///   `markConfigurationAsFinal` and when the reader no longer reads; `invalidSettings` for ranges that are empty or out of
    ///   order.
    public func reset(forReadingTimeRanges ranges: [TimeRange]) throws(MediaError) {
        let action = "cannot read track \(track.id) again"
        if let fault = Self.fault(ranges) { throw MediaError(.invalidSettings, action, reason: fault) }
        let reason: String? = state.withLock { state in
            guard state.configuration.supportsRandomAccess else { return "supportsRandomAccess is not set" }
            guard let core = state.core, core.isReading, let source = state.source else {
                return "nothing is being read"
            }
            guard !state.isFinal else { return "the configuration was marked as final" }
            guard state.isDrained, !state.isBusy else { return "the former ranges have not been read to their end" }
            source.restart(ranges: ranges)
            state.isDrained = false
            return nil
        }
        if let reason { throw MediaError(.invalidState, action, reason: reason) }
    }

    /// No other ranges will be asked for: the output ends with those it has. Idempotent.
    public func markConfigurationAsFinal() {
        let core = state.withLock { state -> ReaderCore? in
            state.isFinal = true
            return state.isDrained ? state.core : nil
        }
        core?.finish(ObjectIdentifier(self))
    }

    private static func fault(_ ranges: [TimeRange]) -> String? {
        for range in ranges where range.isEmpty || !range.start.isNumeric { return "a time range is empty" }
        for (range, next) in zip(ranges, ranges.dropFirst()) where next.start < range.end {
            return "the time ranges overlap or are out of order"
        }
        return nil
    }

    // MARK: The reader's side

    var isAdded: Bool { state.withLock { $0.core != nil } }

    /// Binds the output to its reader; false when it has one.
    func bind(_ core: ReaderCore) -> Bool {
        state.withLock { state in
            guard state.core == nil else { return false }
            state.core = core
            return true
        }
    }

    /// Opens file and decoder.
    func open(path: String, timeRange: TimeRange) throws(MediaError) {
        let configuration = state.withLock { $0.configuration }
        let source = try TrackSource(
            path: path, track: track.index, settings: outputSettings,
            sharesMemory: !configuration.alwaysCopiesSampleData, ranges: [timeRange])
        state.withLock { $0.source = source }
    }

    /// Lets go of file and decoder when nobody reads any more; a read that is on its way ends first.
    func close() {
        let source = state.waiting { state -> TrackSource?? in
            guard !state.isBusy else { return nil }
            return .some(state.source.take())
        }
        _ = source
    }

    /// The turn to read: waits for whoever has it.
    private func claim() -> (TrackSource, ReaderCore)? {
        state.waiting { state -> (TrackSource, ReaderCore)?? in
            guard let source = state.source, let core = state.core else { return .some(nil) }
            guard !state.isBusy else { return nil }
            state.isBusy = true
            return (source, core)
        }
    }

    private func release() {
        state.withLock { $0.isBusy = false }
        state.broadcast()
    }
}
