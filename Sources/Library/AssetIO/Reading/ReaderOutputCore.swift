import Dispatch
import MediaCodecs
import MediaTypes
import RealTime

/// The implementation of an output. Lets one thread at a time read, and opens the source of the samples. Thread-safe.
public final class ReaderOutputCore: Sendable {
    /// Opens the source of the samples.
    typealias Open = @Sendable (Asset, ReaderOutputConfiguration, [TimeRange]) throws(MediaError) -> any SampleSource

    /// The tracks that the samples come from. All belong to one asset.
    let tracks: [AssetTrack]
    /// The name in messages, such as "track 2".
    private let name: String
    private let openSource: Open

    private struct State {
        var configuration = ReaderOutputConfiguration()
        var core: ReaderCore?
        var source: (any SampleSource)?
        /// True while a thread reads.
        var isBusy = false
        /// True once file and decoder are no longer needed; a thread that still reads or opens them releases them.
        var isClosed = false
        /// True once the last range has ended.
        var isDrained = false
        /// The source's `lastFrameEnd` when the last range ended.
        var lastFrameEnd: MediaTime?
        var isFinal = false
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "recorder.track-output")

    init(tracks: [AssetTrack], name: String, open: @escaping Open) {
        self.tracks = tracks
        self.name = name
        openSource = open
    }

    var configuration: ReaderOutputConfiguration { state.withLock { $0.configuration } }

    /// The number of times that memory for frames was allocated from the system. It is constant once reading runs.
    var allocationCount: Int { state.withLock { $0.source?.allocationCount ?? 0 } }

    /// The time until which the last frame is on screen, if the video continues after the last range. Nil before the
    /// end.
    var lastFrameEnd: MediaTime? { state.withLock { $0.isDrained ? $0.lastFrameEnd : nil } }

    func configure(_ change: (inout ReaderOutputConfiguration) -> Void) throws(MediaError) {
        let isDone = state.withLock { state in
            guard state.source == nil, state.core.map({ $0.status == .unknown }) ?? true else { return false }
            change(&state.configuration)
            return true
        }
        if !isDone {
            throw MediaError(.invalidState, "cannot configure an output", reason: "reading has started already")
        }
    }

    func copyNextSampleBuffer() -> SampleBuffer? {
        guard let (source, core) = claim() else { return nil }
        defer { release() }
        guard core.isReading else { return nil }
        do throws(MediaError) {
            if let sample = try source.next() { return core.isReading ? sample : nil }
            let lastFrameEnd = source.lastFrameEnd
            let isOver = state.withLock { state in
                (state.isDrained, state.lastFrameEnd) = (true, lastFrameEnd)
                return state.isFinal || !state.configuration.supportsRandomAccess
            }
            if isOver { core.finish(ObjectIdentifier(self)) }
        } catch {
            core.fail(error)
        }
        return nil
    }

    func next() async throws(MediaError) -> SampleBuffer? {
        let action = "cannot read \(name)"
        if Task.isCancelled { throw MediaError(.cancelled, action, reason: "the task was cancelled") }
        let sample = await queue.result { self.copyNextSampleBuffer() }
        if let sample { return sample }
        let reading = state.withLock { $0.core }?.reading
        switch reading?.status ?? .unknown {
        case .unknown: throw MediaError(.invalidState, action, reason: "reading has not started")
        case .failed: throw reading?.error ?? MediaError(.ioFailure, action, reason: "the reader failed")
        case .cancelled: throw MediaError(.cancelled, action, reason: "reading was cancelled")
        case .reading, .completed: return nil
        }
    }

    func reset(forReadingTimeRanges ranges: [TimeRange]) throws(MediaError) {
        let action = "cannot read \(name) again"
        if let fault = Self.fault(ranges) { throw MediaError(.invalidSettings, action, reason: fault) }
        let reason: String? = state.withLock { state in
            guard state.configuration.supportsRandomAccess else { return "supportsRandomAccess is not set" }
            guard let core = state.core, core.isReading, let source = state.source else {
                return "nothing is being read"
            }
            guard !state.isFinal else { return "the configuration was marked as final" }
            guard state.isDrained, !state.isBusy else { return "the previous ranges have not been read to their end" }
            source.restart(ranges: ranges)
            state.isDrained = false
            return nil
        }
        if let reason { throw MediaError(.invalidState, action, reason: reason) }
    }

    func markConfigurationAsFinal() {
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

    /// Binds the output to its reader. Returns false if the output already has a reader.
    func bind(_ core: ReaderCore) -> Bool {
        state.withLock { state in
            guard state.core == nil else { return false }
            state.core = core
            return true
        }
    }

    /// Opens file and decoder.
    ///
    /// - Parameter skipsDamage: true to leave out damaged media and log it.
    func open(_ asset: Asset, timeRange: TimeRange, skipsDamage: Bool) throws(MediaError) {
        state.withLock {
            if skipsDamage { $0.configuration.damage = DamageLog() }
            $0.configuration.frameMetadata = FrameMetadataLog()
            $0.configuration.stop = ReadingStop()
        }
        let source = try openSource(asset, configuration, [timeRange])
        state.withLock { if !$0.isClosed { $0.source = source } }
    }

    /// Releases file and decoder once no thread reads.
    ///
    /// - Parameter waits: true to wait for a read in progress. If false, that read releases them when it ends.
    func close(waits: Bool) {
        configuration.stop?.request()
        let source = state.waiting { state -> (any SampleSource)?? in
            state.isClosed = true
            guard state.isBusy else { return .some(state.source.take()) }
            return waits ? nil : .some(nil)
        }
        _ = source
    }

    /// Claims the right to read; waits while another thread has it. Returns nil if there is nothing to read.
    private func claim() -> (any SampleSource, ReaderCore)? {
        state.waiting { state -> (any SampleSource, ReaderCore)?? in
            guard let source = state.source, let core = state.core else { return .some(nil) }
            guard !state.isBusy else { return nil }
            state.isBusy = true
            return (source, core)
        }
    }

    private func release() {
        let closed = state.withLock { state -> (any SampleSource)? in
            state.isBusy = false
            return state.isClosed ? state.source.take() : nil
        }
        state.broadcast()
        _ = closed
    }
}
