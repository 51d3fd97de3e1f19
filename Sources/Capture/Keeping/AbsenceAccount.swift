import MediaTypes

/// What a device would have delivered while it was away. A plain value.
///
/// - A camera: the frames that there was room for between the last one before and the first one after, at the rate that it
///   was set to; where its driver does not say that, at the distance of its last two frames.
/// - A microphone: the audio frames between the end of its last block and the beginning of the next, as after an xrun. They
///   are `lost`, and the sound track fills the same stretch with silence by itself.
///
/// Before the first sample the count begins with the start. The monotonic clock stands still while the machine is suspended
/// (clock_gettime(2)), and the movie with it: that time is not missing, and nothing is counted for it.
struct AbsenceAccount: Sendable {
    /// Where the last sample ended, or when the device was started.
    private(set) var end: MediaTime
    /// The last video frame.
    private var last: MediaTime?
    /// From one video frame to the next.
    private var interval: MediaTime?
    private var isIntervalMeasured = false
    /// Audio frames per second; nil for video.
    private var sampleRate: Int?

    init(start: MediaTime, format: FormatDescription, frameRate: FrameRate?) {
        end = start
        expect(format, frameRate)
    }

    /// What comes from now on.
    mutating func expect(_ format: FormatDescription, _ frameRate: FrameRate?) {
        sampleRate = format.audio?.sampleRate
        isIntervalMeasured = frameRate == nil
        interval = frameRate?.interval
    }

    /// Takes note of a sample that was delivered.
    mutating func add(_ sample: SampleBuffer) {
        let time = sample.presentationTime
        guard sampleRate == nil else {
            end = sample.endTime
            return
        }
        if isIntervalMeasured, let last, time > last { interval = time - last }
        last = time
        end = time + (interval ?? .zero)
    }

    /// A picture from before the device went away, which its driver held on to.
    func isStale(_ sample: SampleBuffer) -> Bool {
        guard sampleRate == nil, let last else { return false }
        return sample.presentationTime <= last
    }

    /// Takes note of a frame that came and was no good: it is counted already.
    mutating func addBroken(at time: MediaTime) {
        if sampleRate == nil, time.isNumeric { end = max(end, time + (interval ?? .zero)) }
    }

    /// Frames, of video or of sound, that are missing before a sample at that time.
    func missing(before time: MediaTime) -> Int64 {
        let gap = (time - end).nanoseconds
        guard gap > 0 else { return 0 }
        let (frames, nanoseconds): (Int128, Int128) =
            if let sampleRate {
                (Int128(sampleRate), 1_000_000_000)
            } else {
                (1, Int128(interval?.nanoseconds ?? 0))
            }
        guard nanoseconds > 0 else { return 0 }
        return Int64(clamping: (Int128(gap) * frames + nanoseconds / 2) / nanoseconds)
    }
}
