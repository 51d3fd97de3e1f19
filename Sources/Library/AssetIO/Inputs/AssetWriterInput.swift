import Foundation
public import MediaTypes
import MovieFile
import RealTime

/// One track of a movie that is being written.
///
/// An input is created with the format to store, configured with `configure`, and added to one writer. Then
///
/// - a live source calls `append`, which never waits;
/// - a source that can wait calls `append` while `isReadyForMoreMediaData` is true, in the block of
///   `requestMediaDataWhenReady`, or uses the receiver of `AssetWriter.inputReceiver(for:)` from a task.
///
/// All calls are safe from any thread. The caller must append the samples of one input in order. No call blocks.
public final class AssetWriterInput: Sendable {
    struct State {
        var configuration = Configuration()
        /// The writer to which the input was added.
        var owner: ObjectIdentifier?
        var path: TrackPath?
        var isFinished = false
        var associations: [TrackReference] = []
    }

    /// The media type: video, audio, text (the titles of chapters), timecode or timed metadata.
    public let mediaType: MediaType
    /// The encoder settings; nil if packets are stored as they come.
    public let outputSettings: OutputSettings?
    /// The format of the samples that will be appended; it completes the settings. Samples must match it, with one
    /// exception: frames that are encoded may have any size and layout.
    public let sourceFormatHint: FormatDescription?

    let state = Locked(State())
    let feed = InputFeed()
    /// The requests for keyframes besides the regular ones.
    let keyframes = KeyframeRequest()

    /// Creates an input.
    ///
    /// - Throws: `invalidSettings` if settings or hint do not fit the media type, or if a size, rate or channel count
    ///   is missing in both.
    public init(
        mediaType: MediaType, outputSettings: OutputSettings?, sourceFormatHint: FormatDescription? = nil
    ) throws(MediaError) {
        if let fault = SettingsRules.fault(mediaType, outputSettings, hint: sourceFormatHint) {
            throw MediaError(.invalidSettings, "cannot create the \(mediaType) input", reason: fault)
        }
        self.mediaType = mediaType
        self.outputSettings = outputSettings
        self.sourceFormatHint = sourceFormatHint
    }

    /// Appends a sample. The input owns the sample from now on; a `SampleBuffer` is immutable.
    ///
    /// Does constant work and never waits, so with `expectsMediaDataInRealTime` it can be called on a capture thread.
    /// Frames to be encoded must come in presentation order, packets in decode order. Frames to be encoded and PCM are
    /// left out before the session's start. Packets before the start are stored if decoding needs them.
    ///
    /// - Returns: true if the sample was accepted. For a source that can wait, false means that the input is not ready,
    ///   and that nothing has happened. For a live source, false means that the sample was refused and counted in
    ///   `ledger` by cause, or that it is before the session's start.
    /// - Throws: `invalidState` before the session and after the end; `cancelled` after `cancelWriting`;
    ///   `invalidSample` for a sample with impossible properties. For a source that can wait, also `invalidSample` for
    ///   a sample that does not fit the track or is out of order, and the track's error once the track has failed.
    @discardableResult
    public func append(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        guard let path else { throw Self.notStarted }
        return try path.append(sample)
    }

    /// Appends a further packet of a run. The run's first packet was accepted because the input was ready.
    ///
    /// - Returns: the result as for `append`.
    package func appendInRun(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        guard let path else { throw Self.notStarted }
        return try path.append(sample, continues: true)
    }

    func appendWhenReady(_ sample: SampleBuffer) async throws(MediaError) {
        guard let path else { throw Self.notStarted }
        try await path.appendWhenReady(sample)
    }

    private static var notStarted: MediaError {
        MediaError(.invalidState, "cannot append a sample", reason: "writing has not started")
    }

    /// Returns the difference between a format and the hint, in words; nil if samples of this format can be appended, and
    /// their frames have the size of the hint. Without a hint, every format is accepted.
    package func difference(of format: FormatDescription) -> String? {
        guard let hint = sourceFormatHint, hint != format else { return nil }
        let isPassthrough = outputSettings == nil
        if let difference = FormatMatch.difference(
            format, expected: hint, isFitted: !isPassthrough, mayChange: isPassthrough)
        {
            return difference
        }
        guard let new = format.video, let old = hint.video, new.width != old.width || new.height != old.height else {
            return nil
        }
        return "its size is \(new.width)×\(new.height), but the track's is \(old.width)×\(old.height)"
    }

    /// Ends the input, so that other inputs no longer wait for it. Accepted samples are still encoded. Idempotent.
    public func markAsFinished() { markAsFinished(lastFrameEnd: nil) }

    /// Ends the track, like `markAsFinished()`.
    ///
    /// - Parameter lastFrameEnd: the earliest time at which the last frame may end; nil if the frame ends after its own
    ///   duration. Needed for video that is cut from a longer track. In that track, the frame is on screen until the
    ///   next frame, even if its own duration is shorter.
    func markAsFinished(lastFrameEnd: MediaTime?) {
        let path = state.withLock { state in
            state.isFinished = true
            return state.path
        }
        path?.markAsFinished(lastFrameEnd: lastFrameEnd)
    }

    /// The ledger of this track until now. In a multi-pass encoding it counts the last pass.
    public var ledger: Ledger { path?.admission.ledger ?? Ledger() }

    /// Counts samples that the device captured but never delivered.
    public func recordLoss(_ count: Int64, cause: DropCause) { path?.admission.recordLoss(count, cause: cause) }

    /// The number of samples that wait for the encoder.
    public var queueDepth: Int { path?.admission.queueDepth ?? 0 }

    /// The gaps in the audio that were filled with silence: their number, and the sum of their frames.
    public var filledGaps: (count: Int, frames: Int64) { path?.admission.facts.gaps ?? (0, 0) }

    /// The number of floating-point audio values that became silence, because they were not finite or more than 80 dB
    /// above full scale. No encoder accepts such values, which a faulty device may deliver.
    public var silencedValues: Int64 { path?.admission.facts.silencedValues ?? 0 }

    /// The reason why this track ended early. With a live source, the writer and its other tracks continue.
    public var error: MediaError? { path?.admission.error }

    // MARK: The writer's side

    /// The track's path to the muxer; nil until writing starts.
    var path: TrackPath? { state.withLock { $0.path } }

    var owner: ObjectIdentifier? { state.withLock { $0.owner } }

    /// Binds the input to its one writer. Returns false if it has one already.
    func attach(to owner: ObjectIdentifier) -> Bool {
        state.withLock { state in
            guard state.owner == nil else { return false }
            state.owner = owner
            return true
        }
    }

    func makePath(index: Int, encoder: any TrackEncoder, gate: InterleavingGate, muxer: Muxer) -> TrackPath {
        let configuration = configuration
        var traits = TrackTraits(
            index: index, mediaType: mediaType, isRealTime: configuration.expectsMediaDataInRealTime,
            isPassthrough: outputSettings == nil, storesEverything: !configuration.edits.isEmpty,
            movesHeldFrame: !configuration.keepsSignedForm && !configuration.expectsMediaDataInRealTime,
            keepsLeadingFrames: configuration.keepsSignedForm,
            hint: sourceFormatHint, budget: configuration.realTimeBudget,
            passCount: encoder.passCount)
        if traits.isPassthrough, !traits.isRealTime {
            traits.longestReordering = TrackTraits.longestReordering(timeScale: encoder.timeScale)
        }
        // An encoder's thread waits for room. A track without such a thread makes its source wait.
        let isAlone = traits.isPassthrough
        let admission = SharedAdmission(
            traits, gate: gate, readiness: feed.readiness, passes: feed.passes,
            sinkHasRoom: { !isAlone || muxer.hasRoom(for: index) }, isAwaited: { muxer.isAwaited(index) })
        let sink = MuxerSink(muxer: muxer, admission: admission, index: index, mayWait: !isAlone)
        let path = TrackPath(admission, encoder: encoder, sink: sink)
        let isFinished = state.withLock { state in
            state.path = path
            return state.isFinished
        }
        if isFinished { path.markAsFinished() }
        return path
    }

    /// True for audio and video of a source that can wait: these tracks are interleaved, so each waits for the others.
    /// Live and sparse tracks hold back no other track.
    var isInterleaved: Bool {
        !configuration.expectsMediaDataInRealTime && (mediaType == .video || mediaType == .audio)
    }
}

/// The connection from a track to the file's muxer.
private struct MuxerSink: PacketSink {
    let muxer: Muxer
    let admission: SharedAdmission
    let index: Int
    /// True if the encoder's thread waits while the disk lags.
    let mayWait: Bool

    func accept(_ packet: SampleBuffer, accountsFor count: Int64) {
        admission.recordPushed(count)
        muxer.push(
            TrackSample(track: index, sample: packet, accountsFor: count), mayWait: mayWait,
            waiting: admission.setWaitingForDisk)
    }

    func beginSession() { muxer.beginSession(ofTrack: index) }

    func end(at end: MediaTime?) { muxer.endTrack(index, at: end) }
}

extension AssetWriterInput {
    /// Returns the options of the encoder that the settings request.
    ///
    /// - Parameter temporaryDirectory: the directory for the statistics of a first pass; nil for the system's temporary
    ///   directory.
    func encoderOptions(temporaryDirectory: URL?) -> EncoderOptions {
        let configuration = configuration
        var options = EncoderOptions(
            mediaType, settings: outputSettings, hint: sourceFormatHint,
            isRealTime: configuration.expectsMediaDataInRealTime)
        options.timeScale = configuration.mediaTimeScale
        options.wantsPasses = configuration.performsMultiPassEncodingIfSupported
        options.temporaryDirectory = temporaryDirectory
        options.keyframes = keyframes
        options.presentedEnd = configuration.presentedEnd
        options.stored = configuration.stored
        return options
    }
}
