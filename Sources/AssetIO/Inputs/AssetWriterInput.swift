import Foundation
public import MediaTypes
import MovieFile
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
        var track: TrackInput?
        var isFinished = false
        var associations: [TrackReference] = []
    }

    /// Video, audio, text (the titles of chapters) or timecode.
    public let mediaType: MediaType
    /// nil: packets are stored as they come.
    public let outputSettings: OutputSettings?
    /// The format of what will be appended; fills in what the settings leave out. Samples must match it, but for pictures that are
    /// encoded: those may be of any size and layout.
    public let sourceFormatHint: FormatDescription?

    let state = Locked(State())
    let feed = InputFeed()
    /// Asks its encoder for a key frame between the usual ones.
    let keyFrames = KeyFrameRequest()

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
        guard let track else { throw Self.notStarted }
        return try track.append(sample)
    }

    /// Appends a packet that follows others of a run, of which the first was taken because the input was ready.
    ///
    /// - Returns: as `append`.
    package func appendInRun(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        guard let track else { throw Self.notStarted }
        return try track.append(sample, goesOn: true)
    }

    func appendWhenReady(_ sample: SampleBuffer) async throws(MediaError) {
        guard let track else { throw Self.notStarted }
        try await track.appendWhenReady(sample)
    }

    private static var notStarted: MediaError {
        MediaError(.invalidState, "cannot append a sample", reason: "writing has not started")
    }

    /// Says that nothing more comes, and lets the other inputs go on without this one. What was taken is still encoded.
    /// Idempotent.
    public func markAsFinished() {
        let track = state.withLock { state in
            state.isFinished = true
            return state.track
        }
        track?.markAsFinished()
    }

    /// The account of this track so far. Of several passes the last one counts.
    public var ledger: Ledger { track?.intake.ledger ?? Ledger() }

    /// Enters samples that the device captured but never delivered.
    public func noteLoss(_ count: Int64, cause: DropCause) { track?.intake.noteLoss(count, cause: cause) }

    /// Samples that wait for the encoder.
    public var queueDepth: Int { track?.intake.queueDepth ?? 0 }

    /// Gaps in the sound that were filled with silence: how many, and their frames in all.
    public var filledGaps: (count: Int, frames: Int64) { track?.intake.gaps ?? (0, 0) }

    /// Why this track ended early. Where it is fed by a live source, the writer and its other tracks go on.
    public var error: MediaError? { track?.intake.error }

    // MARK: The writer's side

    /// nil until writing starts.
    var track: TrackInput? { state.withLock { $0.track } }

    var owner: ObjectIdentifier? { state.withLock { $0.owner } }

    /// Binds the input to its one writer; false when it has one.
    func attach(to owner: ObjectIdentifier) -> Bool {
        state.withLock { state in
            guard state.owner == nil else { return false }
            state.owner = owner
            return true
        }
    }

    func makeTrack(index: Int, encoding: any TrackEncoding, gate: InterleavingGate, muxer: Muxer) -> TrackInput {
        let configuration = configuration
        let traits = TrackTraits(
            index: index, mediaType: mediaType, isRealTime: configuration.expectsMediaDataInRealTime,
            isPassthrough: outputSettings == nil, storesEverything: !configuration.edits.isEmpty,
            movesHeldFrame: configuration.movesHeldFrame && !configuration.expectsMediaDataInRealTime,
            hint: sourceFormatHint, budget: configuration.realTimeBudget,
            passCount: encoding.passCount)
        // An encoder's thread waits for room; where there is none its source has to.
        let isAlone = traits.isPassthrough
        let intake = TrackIntake(
            traits, gate: gate, readiness: feed.readiness, passes: feed.passes,
            hasRoomBehind: { !isAlone || muxer.hasRoom(for: index) }, isAwaited: { muxer.isAwaited(index) })
        let track = TrackInput(
            intake, encoding: encoding, sink: MuxerSink(muxer: muxer, index: index, mayWait: !isAlone))
        let isFinished = state.withLock { state in
            state.track = track
            return state.isFinished
        }
        if isFinished { track.markAsFinished() }
        return track
    }

    /// Sound and pictures of a source that can wait are held together; live and sparse tracks hold back nobody.
    var isInterleaved: Bool {
        !configuration.expectsMediaDataInRealTime && (mediaType == .video || mediaType == .audio)
    }
}

/// From a track to the file that it belongs to.
private struct MuxerSink: PacketSink {
    let muxer: Muxer
    let index: Int
    /// What is pushed by an encoder's thread waits while the disk is behind.
    let mayWait: Bool

    func take(_ packet: SampleBuffer, accountsFor count: Int64, of track: TrackIntake) {
        track.notePushed(count)
        muxer.push(
            TrackSample(track: index, sample: packet, accountsFor: count), mayWait: mayWait,
            waiting: track.setWaitingForDisk)
    }

    func beginSession(of track: TrackIntake) { muxer.beginSession(ofTrack: index) }

    func end(_ track: TrackIntake, at end: MediaTime?) { muxer.endTrack(index, at: end) }
}

extension AssetWriterInput {
    /// The encoder that the settings ask for.
    ///
    /// - Parameter temporaryDirectory: for what a first pass leaves to the second; nil: the system's.
    func encodingPlan(temporaryDirectory: URL?) -> EncodingPlan {
        let configuration = configuration
        var plan = EncodingPlan(
            mediaType, settings: outputSettings, hint: sourceFormatHint,
            isRealTime: configuration.expectsMediaDataInRealTime)
        plan.timeScale = configuration.mediaTimeScale
        plan.wantsPasses = configuration.performsMultiPassEncodingIfSupported
        plan.temporaryDirectory = temporaryDirectory
        plan.keyFrames = keyFrames
        plan.presentedEnd = configuration.presentedEnd
        plan.stored = configuration.stored
        return plan
    }
}
