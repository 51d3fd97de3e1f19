public import MediaTypes
import RealTime

/// One track of a movie that is being written.
///
/// An input is made with the format to store, set up with `configure`, added to one writer, and fed:
///
/// - by a live source with `append`, which never waits;
/// - by a source that can wait with `append` while `isReadyForMoreMediaData`, in the block of
///   `requestMediaDataWhenReady`, or from a task with the receiver of `AssetWriter.inputReceiver(for:)`.
///
/// All calls are safe from any thread; the samples of one input are ordered by their caller. Nothing here blocks.
public final class AssetWriterInput: Sendable {
    struct State {
        var configuration = Configuration()
        /// The writer that it belongs to.
        var owner: ObjectIdentifier?
        var core: TrackCore?
        var isFinished = false
        var associations: [TrackReference] = []
    }

    /// Video, audio, text (the titles of chapters) or timecode.
    public let mediaType: MediaType
    /// nil: packets are stored as they come.
    public let outputSettings: OutputSettings?
    /// The format of what will be appended; fills in what the settings leave out. Samples must match it.
    public let sourceFormatHint: FormatDescription?

    let state = Locked(State())
    let feed = InputFeed()

    /// - Throws: `invalidSettings` when settings or hint do not fit the media type, or a size, rate or channel count is
    ///   in neither of them.
    public init(
        mediaType: MediaType, outputSettings: OutputSettings?, sourceFormatHint: FormatDescription? = nil
    ) throws(MediaError) {
        if let fault = SettingsRules.fault(mediaType, outputSettings, hint: sourceFormatHint) {
            throw MediaError(.invalidSettings, "cannot make \(mediaType) input", reason: fault)
        }
        self.mediaType = mediaType
        self.outputSettings = outputSettings
        self.sourceFormatHint = sourceFormatHint
    }

    /// Hands a sample over. The input owns it from now on; nobody can change it, by type.
    ///
    /// Does constant work and never waits: with `expectsMediaDataInRealTime` call it from a capture thread.
    /// Pictures to be encoded come in the order of showing them, packets in that of decoding them. Encoded pictures and
    /// PCM before the session's start are left out; packets are stored as far as decoding needs them.
    ///
    /// - Returns: whether the sample was taken. false from a source that can wait: the input is not ready, and nothing has
    ///   happened. false from a live source: refused, and counted in `ledger` by cause, or before the session's start.
    /// - Throws: `invalidState` before the session and after the end, `cancelled` after `cancelWriting`, `invalidSample`
    ///   for a sample that says what cannot be; to a source that can wait also for one that does not fit the track or comes
    ///   out of order, and the cause once the track has failed.
    @discardableResult
    public func append(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        guard let core else { throw Self.notStarted }
        return try core.append(sample)
    }

    func appendWhenReady(_ sample: SampleBuffer) async throws(MediaError) {
        guard let core else { throw Self.notStarted }
        try await core.appendWhenReady(sample)
    }

    private static var notStarted: MediaError {
        MediaError(.invalidState, "cannot append a sample", reason: "writing has not started")
    }

    /// Says that nothing more comes, and lets the other inputs go on without this one. What was taken is still encoded.
    /// Idempotent.
    public func markAsFinished() {
        let core = state.withLock { state in
            state.isFinished = true
            return state.core
        }
        core?.markAsFinished()
    }

    /// The account of this track so far. Of several passes the last one counts.
    public var ledger: Ledger { core?.ledger ?? Ledger() }

    /// Enters samples that the device captured but never delivered.
    public func noteLoss(_ count: Int64, cause: DropCause) { core?.noteLoss(count, cause: cause) }

    /// Samples that wait for the encoder.
    public var queueDepth: Int { core?.queueDepth ?? 0 }

    /// Gaps in the sound that were filled with silence: how many, and their frames in all.
    public var filledGaps: (count: Int, frames: Int64) { core?.gaps ?? (0, 0) }

    /// By how many parts per million the clock of a live source's sound is faster than the monotonic one. Sound is kept in
    /// place by resampling meanwhile. nil for other tracks, and in the first minute, before it is known to 10 ppm.
    package var driftPPM: Double? { core?.clock.driftPPM }

    /// Seconds by which a live source's sound is written later than it was heard: late against the pictures. The measured
    /// times, smoothed; nil for other tracks, and in the first seconds.
    package var syncOffset: Double? { core?.clock.syncOffset }

    /// Why this track ended early. Where it is fed by a live source, the writer and its other tracks go on.
    public var error: MediaError? { core?.error }

    // MARK: The writer's side

    /// nil until writing starts.
    var core: TrackCore? { state.withLock { $0.core } }

    var owner: ObjectIdentifier? { state.withLock { $0.owner } }

    /// Binds the input to its one writer; false when it has one.
    func attach(to owner: ObjectIdentifier) -> Bool {
        state.withLock { state in
            guard state.owner == nil else { return false }
            state.owner = owner
            return true
        }
    }

    func makeCore(index: Int, passCount: Int, gate: InterleavingGate) -> TrackCore {
        let (core, isFinished) = state.withLock { state in
            let traits = TrackTraits(
                index: index, mediaType: mediaType, isRealTime: state.configuration.expectsMediaDataInRealTime,
                isPassthrough: outputSettings == nil, hint: sourceFormatHint,
                budget: state.configuration.realTimeBudget, passCount: passCount)
            let core = TrackCore(traits, gate: gate, readiness: feed.readiness, passes: feed.passes)
            state.core = core
            return (core, state.isFinished)
        }
        if isFinished { core.markAsFinished() }
        return core
    }

    /// Sound and pictures of a source that can wait are held together; live and sparse tracks hold back nobody.
    var isInterleaved: Bool {
        !configuration.expectsMediaDataInRealTime && (mediaType == .video || mediaType == .audio)
    }
}
