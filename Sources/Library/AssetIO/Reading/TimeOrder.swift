import MediaTypes

/// Corrects times that step back, occur twice or jump by years in a track, as in joined streams or after a fault of the
/// sender. A pure value that the track's reader owns.
///
/// Audio is moved to the end of the sample before it, so that no audio is lost. If a frame's time is up to a second too
/// early, the frame is moved to half a frame duration after the previous frame, so that the next frame keeps its own
/// time. If it is more than a second too early, the times have restarted, and the frame follows the previous frame by a
/// whole frame duration. The same happens after a jump of more than a year.
struct TimeOrder {
    /// True if samples come in decode order, as stored frames do. Audio and decoded frames come in presentation order.
    private let isDecodeOrder: Bool
    private let isAudio: Bool
    private let correctsJumps: Bool
    /// The time of the latest sample; for stored frames, the decode time.
    private(set) var last: MediaTime?
    private var step = MediaTime.zero

    /// The longest time between two samples; a writer does not accept more. A longer one is a wrong time.
    static let longestJump = MediaTime(value: 366 * 86_400, timescale: 1)

    /// - Parameter correctsJumps: true to correct times that are more than `longestJump` after the previous ones.
    init(isStored: Bool, isVideo: Bool, correctsJumps: Bool = false) {
        self.correctsJumps = correctsJumps
        isDecodeOrder = isStored && isVideo
        isAudio = !isVideo
    }

    /// Records that reading begins at another position.
    mutating func restart() { last = nil }

    /// Returns the sample with a time after the previous sample's time. `isMended` is true if the time was changed.
    mutating func take(_ sample: SampleBuffer) -> (sample: SampleBuffer, isMended: Bool) {
        let own = isDecodeOrder ? sample.decodeTime ?? sample.presentationTime : sample.presentationTime
        guard own.isNumeric else { return (sample, false) }
        defer { if let length = sample.spokenLength, length < Self.longestJump { step = length } }
        let isJump = correctsJumps && last.map { own - $0 > Self.longestJump } ?? false
        guard let last, own <= last || isJump else {
            last = own
            return (sample, false)
        }
        let isRestart = isJump || last - own > Self.stumble
        let time = last + distance(isRestart: isRestart)
        self.last = time
        guard isDecodeOrder else { return (sample.at(time), true) }
        let shown = isRestart ? sample.presentationTime + (time - own) : sample.presentationTime
        return (sample.at(max(shown, time)).decoded(at: time), true)
    }

    private static let stumble = MediaTime(value: 1, timescale: 1)

    private func distance(isRestart: Bool) -> MediaTime {
        guard step > .zero else { return MediaTime(value: 1, timescale: 1000) }
        if isAudio || isRestart || step.timescale > 1 << 24 { return step }
        return MediaTime(value: step.value, timescale: step.timescale * 2)
    }
}

extension SampleBuffer {
    /// The sample's own duration; for raw audio without one, the duration of its frames; nil if unknown.
    var spokenLength: MediaTime? {
        if let duration, duration.isNumeric { return duration }
        guard let audio = format.audio, audio.sampleRate > 0, sampleCount > 0 else { return nil }
        guard audio.bytesPerFrame != nil || audio.framesPerPacket == sampleCount else { return nil }
        return MediaTime(value: Int64(sampleCount), timescale: Int32(clamping: audio.sampleRate))
    }
}
