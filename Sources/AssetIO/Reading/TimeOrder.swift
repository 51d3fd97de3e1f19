import MediaTypes

/// Puts samples in order whose file says times that step back or come twice, as streams do that were joined or whose sender
/// stumbled. A plain value of whoever reads the track.
///
/// Sound follows the sample before it: nothing of it is lost. A picture that comes a little too early stands half a picture
/// behind the one before, so that the next one keeps its own time; far back the times have begun anew, and pictures go on
/// at their own distance.
struct TimeOrder {
    /// Stored pictures come in the order of decoding, all else in that of time.
    private let isDecodeOrder: Bool
    private let isSound: Bool
    private var last: MediaTime?
    private var step = MediaTime.zero

    init(isStored: Bool, isVideo: Bool) {
        isDecodeOrder = isStored && isVideo
        isSound = !isVideo
    }

    /// Reading begins elsewhere.
    mutating func restart() { last = nil }

    /// The sample with a time behind that of the one before; `isMended` when that is not its own.
    mutating func take(_ sample: SampleBuffer) -> (sample: SampleBuffer, isMended: Bool) {
        let own = isDecodeOrder ? sample.decodeTime ?? sample.presentationTime : sample.presentationTime
        guard own.isNumeric else { return (sample, false) }
        defer { step = sample.spokenLength ?? step }
        guard let last, own <= last else {
            last = own
            return (sample, false)
        }
        let time = last + distance(isRestart: last - own > Self.stumble)
        self.last = time
        guard isDecodeOrder else { return (sample.at(time), true) }
        let shown = last - own > Self.stumble ? sample.presentationTime + (time - own) : sample.presentationTime
        return (sample.at(max(shown, time)).decoded(at: time), true)
    }

    private static let stumble = MediaTime(value: 1, timescale: 1)

    private func distance(isRestart: Bool) -> MediaTime {
        guard step > .zero else { return MediaTime(value: 1, timescale: 1000) }
        if isSound || isRestart || step.timescale > 1 << 24 { return step }
        return MediaTime(value: step.value, timescale: step.timescale * 2)
    }
}

extension SampleBuffer {
    /// How long it lasts: as it says, or raw sound by its frames; nil where nobody knows.
    var spokenLength: MediaTime? {
        if let duration, duration.isNumeric { return duration }
        guard let audio = format.audio, audio.sampleRate > 0, sampleCount > 0 else { return nil }
        guard audio.bytesPerFrame != nil || audio.framesPerPacket == sampleCount else { return nil }
        return MediaTime(value: Int64(sampleCount), timescale: Int32(clamping: audio.sampleRate))
    }
}
