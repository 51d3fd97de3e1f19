import MediaTypes

/// The samples that a device would have delivered while it was disconnected. A plain value.
///
/// - A camera: the frames that fit between the last one before the absence and the first one after it, at the
///   configured rate. If the driver does not report a rate, the time between its last two frames is used.
/// - A microphone: the audio frames between the end of its last block and the start of the next, as after an xrun. They
///   are reported as `lost`; the audio track fills the same time range with silence by itself.
///
/// If there was no sample yet, the count begins at the start of the device. The monotonic clock stops while the machine
/// is suspended (clock_gettime(2)), and the movie stops with it. Therefore that time is not missing, and is not
/// counted.
struct AbsenceAccount: Sendable {
    /// The end of the last sample, or the start of the device.
    private(set) var end: MediaTime
    /// The latest time of a video frame, and the decode time of the last one.
    private var last: MediaTime?
    private var lastDecodeTime: MediaTime?
    /// The interval between video frames.
    private var interval: MediaTime?
    private var isIntervalMeasured = false
    /// True until the first frame after the device was opened: its distance to the frame before shows no interval.
    private var isFirst = true
    /// Audio frames per second; nil for video.
    private var sampleRate: Int?

    init(start: MediaTime, format: FormatDescription, frameRate: FrameRate?) {
        end = start
        expect(format, frameRate)
    }

    /// Sets the format of the samples from now on.
    mutating func expect(_ format: FormatDescription, _ frameRate: FrameRate?) {
        sampleRate = format.audio?.sampleRate
        isIntervalMeasured = frameRate == nil
        isFirst = true
        // Without a stated rate, the camera most likely has the same one as before.
        interval = frameRate?.interval ?? interval
    }

    /// Records a sample that was delivered.
    mutating func add(_ sample: SampleBuffer) {
        let time = sample.presentationTime
        guard sampleRate == nil else {
            end = sample.endTime
            return
        }
        // Packets may arrive in another order than the frames are shown. Their decode times are one frame interval
        // apart.
        let decodeTime = sample.decodeTime ?? time
        if isIntervalMeasured, !isFirst, let lastDecodeTime, decodeTime > lastDecodeTime {
            interval = decodeTime - lastDecodeTime
        }
        isFirst = false
        lastDecodeTime = decodeTime
        let latest = last.map { max($0, time) } ?? time
        last = latest
        end = latest + (interval ?? .zero)
    }

    /// Returns true for a frame that was captured before the disconnect, and that the driver had kept.
    func isStale(_ sample: SampleBuffer) -> Bool {
        guard sampleRate == nil, let last, let lastDecodeTime else { return false }
        let time = sample.presentationTime
        return time <= last && sample.decodeTime ?? time <= lastDecodeTime
    }

    /// Records a frame that arrived damaged. It is already counted as lost.
    mutating func addBroken(at time: MediaTime) {
        if sampleRate == nil, time.isNumeric { end = max(end, time + (interval ?? .zero)) }
    }

    /// Returns the number of video or audio frames that are missing before a sample at `time`.
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
