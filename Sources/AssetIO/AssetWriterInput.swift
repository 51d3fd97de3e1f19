public import Foundation
public import MediaTypes
import RealTime

/// One track of a movie that is being written.
///
/// An input is made with the format to store, set up with `configure`, added to one writer, and fed with `append`.
/// All calls are safe from any thread; those of one input are ordered by their caller.
public final class AssetWriterInput: Sendable {
    /// What can be set before writing starts.
    public struct Configuration: Sendable, Hashable {
        /// The samples come from a live source: `append` never waits, and refuses what does not fit `realTimeBudget`.
        public var expectsMediaDataInRealTime = false
        /// How much a real-time input keeps for its encoder.
        public var realTimeBudget = RealTimeBudget()
        /// Ticks per second of the track's times; 0 lets the writer choose. Only video tracks may set it.
        public var mediaTimeScale: Int32 = 0
        /// ISO 639-2/T.
        public var languageCode = "und"
        /// BCP 47, as `de-CH`, where three letters say too little; nil for none.
        public var extendedLanguageTag: String?
        /// Facts about the track.
        public var metadata: [MetadataItem] = []
        /// How the stored pictures are turned to be shown; visual tracks only.
        public var transform = AffineTransform.identity
        /// Pixels in which the movie shows the track; zero: those of its format. Visual tracks only.
        public var naturalSize = CGSize.zero
        /// The longest stretch of the track that stands together in the file; nil: what a fragment holds.
        public var preferredMediaChunkDuration: MediaTime?
        /// Bytes at whose multiples the track's chunks begin; 0 for any place.
        public var preferredMediaChunkAlignment = 0
        public var marksOutputTrackAsEnabled = true
        /// 1.0 is full volume.
        public var preferredVolume: Float = 1

        public init() {}
    }

    private struct State {
        var configuration = Configuration()
        var isAttached = false
        var core: TrackCore?
        var isFinished = false
    }

    public let mediaType: MediaType
    /// nil: packets are stored as they come.
    public let outputSettings: OutputSettings?
    /// The format of what will be appended; fills in what the settings leave out.
    public let sourceFormatHint: FormatDescription?

    private let state = Locked(State())

    /// - Throws: `invalidSettings` when settings or hint do not fit the media type, or a size, rate or channel count is
    ///   in neither of them.
    public init(
        mediaType: MediaType, outputSettings: OutputSettings?, sourceFormatHint: FormatDescription? = nil
    ) throws(MediaError) {
        guard mediaType == .video || mediaType == .audio else {
            throw Self.invalid("a \(mediaType) track", "tracks of this build are video and audio")
        }
        if let outputSettings, outputSettings.mediaType != mediaType {
            throw Self.invalid("a \(mediaType) track", "its settings are for \(outputSettings.mediaType)")
        }
        if let sourceFormatHint, sourceFormatHint.mediaType != mediaType {
            throw Self.invalid("a \(mediaType) track", "its source format hint is for \(sourceFormatHint.mediaType)")
        }
        switch outputSettings {
        case .video(let video):
            guard video.width != nil || sourceFormatHint != nil, video.height != nil || sourceFormatHint != nil else {
                throw Self.invalid("a video track", "width and height are neither in the settings nor in a hint")
            }
        case .audio(let audio):
            guard audio.sampleRate != nil || sourceFormatHint != nil else {
                throw Self.invalid("an audio track", "the sample rate is neither in the settings nor in a hint")
            }
            let channels = audio.channelCount ?? sourceFormatHint?.audio?.channelCount
            guard let channels else {
                throw Self.invalid("an audio track", "the channel count is neither in the settings nor in a hint")
            }
            if channels > 2, audio.layout == nil, sourceFormatHint?.audio?.layout == nil {
                throw Self.invalid("an audio track of \(channels) channels", "more than two need a channel layout")
            }
        case nil: break
        }
        self.mediaType = mediaType
        self.outputSettings = outputSettings
        self.sourceFormatHint = sourceFormatHint
    }

    public var configuration: Configuration { state.withLock { $0.configuration } }

    /// Changes the set-up.
    ///
    /// - Throws: `invalidState` once the writer has started; `invalidSettings` for what contradicts the media type.
    public func configure(_ change: (inout Configuration) -> Void) throws(MediaError) {
        try state.withLock { state throws(MediaError) in
            guard state.core == nil else {
                throw MediaError(.invalidState, "cannot configure an input", reason: "writing has started already")
            }
            var changed = state.configuration
            change(&changed)
            if changed.mediaTimeScale != 0, mediaType == .audio {
                throw Self.invalid("an audio track", "its time scale is the sample rate and cannot be set")
            }
            if changed.mediaTimeScale < 0 { throw Self.invalid("a track", "its time scale must not be negative") }
            if !(0...127).contains(changed.preferredVolume) {
                throw Self.invalid("a track", "its volume of \(changed.preferredVolume) is not between 0 and 127")
            }
            state.configuration = changed
        }
    }

    /// Hands a sample over. The input owns it from now on; nobody can change it, by type.
    ///
    /// With `expectsMediaDataInRealTime` this does constant work and never waits: call it from a capture thread. A
    /// sample that cannot be taken is refused and counted in `ledger` by cause.
    ///
    /// - Returns: whether the sample was taken. false: refused in real time, before the session, or not ready.
    /// - Throws: `invalidState` before the session and after the end, `invalidSample` for another media type.
    @discardableResult
    public func append(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        guard let core = state.withLock({ $0.core }) else {
            throw MediaError(.invalidState, "cannot append a sample", reason: "writing has not started")
        }
        return try core.append(sample)
    }

    /// Whether `append` would take a sample now.
    public var isReadyForMoreMediaData: Bool { state.withLock { $0.core }?.hasRoom ?? false }

    /// Says that nothing more comes. What was taken is still encoded. Idempotent.
    public func markAsFinished() {
        let core = state.withLock { state in
            state.isFinished = true
            return state.core
        }
        core?.markAsFinished()
    }

    /// The account of this track so far.
    public var ledger: Ledger { state.withLock { $0.core }?.ledger ?? Ledger() }

    /// Enters samples that the device captured but never delivered.
    public func noteLoss(_ count: Int64, cause: DropCause) { state.withLock { $0.core }?.noteLoss(count, cause: cause) }

    /// Samples that wait for the encoder.
    public var queueDepth: Int { state.withLock { $0.core }?.queueDepth ?? 0 }

    /// Gaps in the sound that were filled with silence: how many, and their frames in all.
    public var filledGaps: (count: Int, frames: Int64) { state.withLock { $0.core }?.gaps ?? (0, 0) }

    /// Why this track ended early; the writer and its other tracks go on.
    public var error: MediaError? { state.withLock { $0.core }?.error }

    // MARK: The writer's side

    var isAttached: Bool { state.withLock { $0.isAttached } }

    /// Binds the input to its one writer; false when it has one.
    func attach() -> Bool {
        state.withLock { state in
            guard !state.isAttached else { return false }
            state.isAttached = true
            return true
        }
    }

    func makeCore() -> TrackCore {
        let (core, isFinished) = state.withLock { state in
            let core = TrackCore(
                mediaType: mediaType, budget: state.configuration.realTimeBudget,
                isRealTime: state.configuration.expectsMediaDataInRealTime)
            state.core = core
            return (core, state.isFinished)
        }
        if isFinished { core.markAsFinished() }
        return core
    }

    func makeEncoding() throws(MediaError) -> any TrackEncoding {
        let configuration = configuration
        // Microseconds: V4L2's own resolution, so that every frame keeps its exact time.
        let scale = configuration.mediaTimeScale > 0 ? configuration.mediaTimeScale : 1_000_000
        switch outputSettings {
        case .video(let settings):
            return try VideoTrackEncoding(
                settings, hint: sourceFormatHint?.video, timeScale: scale,
                isRealTime: configuration.expectsMediaDataInRealTime)
        case .audio(let settings): return try AudioTrackEncoding(settings, hint: sourceFormatHint?.audio)
        case nil: return PassthroughTrackEncoding(hint: sourceFormatHint, timeScale: scale)
        }
    }

    private static func invalid(_ what: String, _ reason: String) -> MediaError {
        MediaError(.invalidSettings, "cannot make \(what)", reason: reason)
    }
}
