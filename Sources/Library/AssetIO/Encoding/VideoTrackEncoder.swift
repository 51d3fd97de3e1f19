import MediaCodecs
import MediaTypes
import RealTime

/// Encodes raw or JPEG frames to packets of the codec in the settings.
///
/// A live H.264 encoder begins with few threads. If they are too few, it continues with x264's usual number of threads,
/// from a keyframe on. If it still cannot keep up, it reduces its effort a step at a time (`EffortLadder`), provided
/// this is allowed. For HEVC and AV1, each step opens a new encoder, which begins with a keyframe.
///
/// Frames that repeat the previous frame are left out if the track requests it (`RepeatedFrames`). They are compared in
/// the format that the encoder gets. Unless the source delivers that format, the track compares its own converted copy.
final class VideoTrackEncoder: TrackEncoder {
    /// Opens an encoder with the track's settings.
    typealias Opening = (EncoderThreads, EncoderEffort) throws(MediaError) -> any VideoEncoder

    private var encoder: any VideoEncoder
    private var open: Opening
    /// Opens encoders for the format of the first frame; nil if the color is known.
    private var openForSource: ((VideoFormat?) -> Opening)?
    private let settings: VideoSettings
    private let isRealTime: Bool
    /// True if the encoder has few threads and may need more.
    private var mayWiden = false
    private var load = EncoderLoad()
    private var ladder: EffortLadder?
    private let mayReduceEffort: @Sendable () -> Bool
    private let efforts: [EncoderEffort]
    private var currentEffort = EncoderEffort.full
    private let clock: any HostClock
    private var converter: EncoderFrameInput
    private var frames: TrackFrames
    private let expectedDuration: MediaTime?
    private let keyframes: KeyframeRequest
    /// Requests keyframes by time; nil if the encoder does, or if that is too expensive.
    private var limit: KeyframeLimit?
    /// True if the next frame is the first of a session, and the encoder has frames of the previous session.
    private var needsKeyframe = false
    private var lastDecodeTime: MediaTime?
    private var cut: StoredFrames?
    /// Finds the frames that are left out; nil if every frame is encoded.
    private var repeats: RepeatedFrameFilter?
    private(set) var repeatedSamples: Int64 = 0
    /// The number of frames that earlier encoders lost.
    private var lostBefore: Int64 = 0
    /// The time and duration of the latest frame.
    private var last: (time: MediaTime, duration: MediaTime?)?

    /// - Parameters:
    ///   - keyframes: the requests for keyframes besides the regular ones.
    ///   - pass: the pass. The first of two passes returns packets that the caller drops, and statistics that are
    ///     complete after `finish`. The second pass is another `VideoTrackEncoder`, created afterwards and fed the same
    ///     samples.
    ///   - mayReduceEffort: returns true if the encoder may reduce its effort; called each time it falls behind. If
    ///     nil, it never reduces its effort.
    ///   - mayLeaveOutRepeats: returns true if frames that repeat the previous frame may be left out now; called for
    ///     each frame. If nil, every frame is encoded. With this function, the encoder must not hold frames back.
    ///   - clock: the clock that measures if encoding keeps up.
    ///   - stored: the time range of the frames that are stored. Frames before and after it are encoded but not stored.
    ///     If nil, all frames are stored.
    ///   - opening: opens the encoders. If nil, `VideoEncoders` opens them.
    init(
        _ settings: VideoSettings, hint: VideoFormat?, timeScale: Int32, isRealTime: Bool,
        pass: EncodingPass = .single, keyframes: KeyframeRequest = KeyframeRequest(),
        mayReduceEffort: (@Sendable () -> Bool)? = nil, mayLeaveOutRepeats: (@Sendable () -> Bool)? = nil,
        clock: any HostClock = MonotonicClock(),
        stored: TimeRange? = nil, opening: Opening? = nil
    ) throws(MediaError) {
        self.keyframes = keyframes
        if let stored {
            cut = StoredFrames(stored)
            keyframes.askAlso(at: stored.start)
            if stored.end.isNumeric { keyframes.askAlso(at: stored.end) }
        }
        repeats = mayLeaveOutRepeats.map {
            RepeatedFrameFilter(keyframeInterval: settings.keyframeInterval, mayLeaveOut: $0)
        }
        self.clock = clock
        var complete = settings.completed(by: hint)
        (complete.width, complete.height) = TrackFrames.size(settings, hint: hint)
        self.settings = complete
        self.isRealTime = isRealTime
        let openForSource = { [complete] (source: VideoFormat?) -> Opening in
            let (described, color) = (complete.completed(by: source), TrackFrames.color(settings, hint: source))
            return { (threads: EncoderThreads, effort: EncoderEffort) throws(MediaError) in
                try VideoEncoders.open(
                    described, color: color, timeScale: timeScale, isRealTime: isRealTime, pass: pass,
                    threads: threads, effort: effort)
            }
        }
        let open = opening ?? openForSource(hint)
        self.open = open
        // Opening twice would replace the statistics that one pass writes for the next.
        let mayOpenAgain = opening == nil && pass == .single
        if hint == nil, settings.color == nil, mayOpenAgain { self.openForSource = openForSource }
        encoder = try open(isRealTime ? .few : .usual, .full)
        efforts = encoder.efforts
        let mayNeedMore = EncoderThreads.oneMayBeTooFew(
            width: encoder.format.width, height: encoder.format.height, frameRate: settings.expectedFrameRate ?? 30)
        mayWiden = isRealTime && encoder.threadCount == 1 && mayNeedMore
        self.mayReduceEffort = mayReduceEffort ?? { false }
        if isRealTime, mayReduceEffort != nil, efforts.count > 1 { ladder = EffortLadder(steps: efforts.count - 1) }
        // An encoder that the caller opens watches the time itself. A live AV1 encoder has to be opened again for each
        // requested keyframe.
        if opening == nil, !(isRealTime && settings.codec == .av1) { limit = KeyframeLimit(settings) }
        expectedDuration = settings.expectedFrameRate.map { MediaTime(seconds: 1 / $0, timescale: timeScale) }
        frames = TrackFrames(complete, hint: hint, for: encoder)
        converter = EncoderFrameInput(for: encoder)
    }

    /// The format of the packets. Without a color in the settings and without a hint, the first frame decides the
    /// color. Until that frame, the format is nil.
    var format: FormatDescription? { openForSource == nil ? .video(encoder.format) : nil }
    var timeScale: Int32 { encoder.timeScale }

    /// The required form of the encoder's input frames.
    var input: EncoderInput { encoder.input }

    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        guard mayWiden else { return try encodeNext(sample, output: output) }
        let began = clock.nanoseconds
        try encodeNext(sample, output: output)
        if load.isTooMuch(began: began, ended: clock.nanoseconds) { try widen(output: output) }
    }

    var facts: EncoderFacts {
        EncoderFacts(
            effort: ladder.map {
                EncodingEffort(step: $0.step, steps: efforts.count - 1, summary: currentEffort.summary)
            }, fault: encoder.latestFault, copyReason: encoder.copyReason, lost: lostSamples)
    }

    var watchesPressure: Bool { ladder != nil }

    @discardableResult
    func keepUp(pressure: Double, output: Output) throws(MediaError) -> Bool {
        let now = clock.nanoseconds
        guard let wish = ladder?.wish(pressure: pressure, at: now, mayReduceEffort: mayReduceEffort()) else {
            return false
        }
        // More threads do not change the output quality.
        if wish == .less, mayWiden {
            try widen(output: output)
            return false
        }
        let step = (ladder?.step ?? 0) + (wish == .less ? 1 : -1)
        guard efforts.indices.contains(step) else { return false }
        guard try ease(to: efforts[step], output: output) else {
            ladder?.refused(wish)
            return false
        }
        ladder?.took(wish, at: now)
        return true
    }

    /// - Returns: true if the encoder works with this effort from now on.
    private func ease(to effort: EncoderEffort, output: Output) throws(MediaError) -> Bool {
        if encoder.canEase(from: currentEffort, to: effort) {
            guard encoder.ease(to: effort) else { return false }
        } else {
            guard let other = try? open(encoder.threadCount == 1 ? .few : .usual, effort),
                try replaceEncoder(by: other, output: output)
            else { return false }
        }
        currentEffort = effort
        return true
    }

    private func widen(output: Output) throws(MediaError) {
        mayWiden = false
        // If memory for another encoder is missing, the current one continues unchanged.
        guard let other = try? open(.usual, currentEffort), other.threadCount != encoder.threadCount else { return }
        _ = try replaceEncoder(by: other, output: output)
    }

    private func encodeNext(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        takeColor(of: sample)
        let frame = try frame(sample)
        let isKeyframe = keyframes.isDue(at: sample.presentationTime) || needsKeyframe
        needsKeyframe = false
        switch repeats?.decide(frame, at: sample.presentationTime, asKeyframe: isKeyframe) {
        case nil:
            let isRequested =
                limit?.requests(at: sample.presentationTime, isRequested: isKeyframe) ?? isKeyframe
            try encoder.encode(frame, at: sample.presentationTime, asKeyframe: isRequested) { emit($0, output) }
        case .encode(let asKeyframe):
            try encoder.encode(frame, at: sample.presentationTime, asKeyframe: asKeyframe) { emit($0, output) }
            repeats?.recordEncoded(frame, at: sample.presentationTime, asKeyframe: asKeyframe)
        case .leaveOut: repeatedSamples += sample.ledgerCount
        }
        let before = last?.time
        // A frame without a duration would be invisible.
        let own = sample.duration.flatMap { $0 > .zero ? $0 : nil }
        last = (
            sample.presentationTime,
            own ?? expectedDuration ?? before.map { sample.presentationTime - $0 }
        )
    }

    /// Opens an encoder for the first frame's color tags, light levels and chroma location, if nothing else specifies a
    /// color. Frames then need no color conversion.
    private func takeColor(of sample: SampleBuffer) {
        guard let openForSource else { return }
        self.openForSource = nil
        let source = sample.format.video
        guard TrackFrames.color(settings, hint: source) != ColorDescription() else { return }
        let opening = openForSource(source)
        // If another encoder cannot be opened, the current one continues, and frames are converted to its color.
        guard let other = try? opening(isRealTime ? .few : .usual, .full) else { return }
        open = opening
        encoder = other
        frames = TrackFrames(settings, hint: nil, for: other)
        converter = EncoderFrameInput(for: other)
    }

    /// The end of the last frame. The duration of a frame is the time to the next frame. For the last frame it is the
    /// frame's own duration, or else is assumed to be that of the other frames.
    var end: MediaTime? {
        guard let last, let duration = last.duration else { return nil }
        return min(last.time + duration, cut?.range.end ?? .positiveInfinity)
    }

    var lostSamples: Int64 { lostBefore + encoder.lostFrames }

    func finish(output: Output) throws(MediaError) { try encoder.finish { emit($0, output) } }

    func endSession(output: Output) throws(MediaError) {
        guard last != nil else { return }
        let other = try? open(encoder.threadCount == 1 ? .few : .usual, currentEffort)
        if let other, try replaceEncoder(by: other, output: output) { return }
        // If no other encoder of the same format could be opened, the current one continues, and returns its pending
        // packets later.
        needsKeyframe = true
    }

    /// Continues with another encoder of the same settings. Its first frame is a keyframe.
    ///
    /// - Returns: false if the other encoder's format differs; the current encoder then continues.
    private func replaceEncoder(by other: any VideoEncoder, output: Output) throws(MediaError) -> Bool {
        // One decoder configuration applies to the entire track.
        guard other.format == encoder.format else { return false }
        try encoder.finish { emit($0, output) }
        lostBefore += encoder.lostFrames
        encoder = other
        limit?.restart()
        return true
    }

    private func emit(_ encoded: SampleBuffer, _ output: Output) {
        guard cut?.takes(encoded) != false else { return }
        if encoded.isKeyframe { repeats?.recordKeyframe(at: encoded.presentationTime) }
        let packet = currentEffort > .full ? encoded.eased() : encoded
        guard let time = packet.decodeTime else { return output(packet, 1) }
        guard let last = lastDecodeTime, time <= last else {
            lastDecodeTime = time
            return output(packet, 1)
        }
        // Each encoder counts its decode times back from its own first frames.
        let next = MediaTime(value: last.value + 1, timescale: last.timescale)
        lastDecodeTime = next
        let moved = packet.decoded(at: next)
        output(packet.isEased ? moved.eased() : moved, 1)
    }

    private func frame(_ sample: SampleBuffer) throws(MediaError) -> PixelBuffer {
        try converter.convert(try frames.frame(of: sample))
    }
}

extension TrackFrames {
    fileprivate convenience init(_ settings: VideoSettings, hint: VideoFormat?, for encoder: any VideoEncoder) {
        self.init(
            settings, hint: hint, width: encoder.format.width, height: encoder.format.height,
            color: encoder.format.color, bitDepth: encoder.input.bitDepth)
    }
}

extension EncoderFrameInput {
    fileprivate init(for encoder: any VideoEncoder) {
        self.init(
            width: encoder.format.width, height: encoder.format.height, bitDepth: encoder.input.bitDepth,
            keepsFullRange: encoder.format.color.isFullRange, layout: encoder.input.layout,
            isInterlaced: encoder.format.fieldOrder?.showsUpperFirst != nil)
    }
}

/// Selects the packets in a range that begins and ends with keyframes of closed GOPs. A pure value.
private struct StoredFrames {
    let range: TimeRange
    private var hasBegun = false
    private var hasEnded = false

    init(_ range: TimeRange) { self.range = range }

    mutating func takes(_ packet: SampleBuffer) -> Bool {
        if packet.isKeyframe {
            if packet.presentationTime >= range.start { hasBegun = true }
            if packet.presentationTime >= range.end { hasEnded = true }
        }
        return hasBegun && !hasEnded
    }
}

extension VideoSettings {
    /// Returns the settings, with missing values taken from a source's hint.
    func completed(by hint: VideoFormat?) -> VideoSettings {
        var complete = self
        complete.width = width ?? hint?.width
        complete.height = height ?? hint?.height
        complete.masteringDisplay = masteringDisplay ?? hint?.masteringDisplay
        complete.contentLight = contentLight ?? hint?.contentLight
        complete.chromaPosition = chromaPosition ?? hint?.chromaPosition
        return complete
    }
}
