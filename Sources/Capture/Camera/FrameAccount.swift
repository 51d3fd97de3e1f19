import MediaTypes

/// What a driver's sequence numbers and time stamps say about each frame. A plain value.
///
/// Source: the Linux media API, struct v4l2_buffer, `sequence` and `timestamp`.
struct FrameAccount {
    /// When streaming began, nanoseconds of the monotonic clock.
    private let start: Int64
    /// Nanoseconds from one frame to the next; nil when the driver does not say.
    private let interval: Int64?
    private var lastSequence: UInt32?
    private var framesSeen: Int64 = 0
    /// The first frame's time, until the second has come.
    private var firstTime: MediaTime?
    private var lastTime: Int64

    /// Stamps that were not the kernel's monotonic time, or could not be, so that the moment of taking was used.
    private(set) var replacedStamps: Int64 = 0

    init(start: Int64, interval: Int64? = nil) {
        self.start = start
        self.interval = interval
        lastTime = .min
    }

    /// Frames that were captured between the last one and this one, and never delivered.
    ///
    /// The number wraps at 2³². A number that repeats or goes back is a driver that does not count: nothing is lost then,
    /// as far as anybody knows. Before the second frame no more can be lost than there was time for: the first buffer of
    /// some drivers is an old one, and the number of the second counts what happened before streaming began.
    ///
    /// - Parameter time: the frame's.
    mutating func framesLost(before sequence: UInt32, at time: MediaTime = .invalid) -> Int64 {
        defer {
            lastSequence = sequence
            firstTime = framesSeen == 0 ? time : nil
            framesSeen += 1
        }
        guard let lastSequence else { return 0 }
        let step = sequence &- lastSequence
        guard step > 1, step < 1 << 31 else { return 0 }
        guard let firstTime, let interval, interval > 0, time.isNumeric, firstTime.isNumeric else {
            return Int64(step) - 1
        }
        // One part in twenty for the driver's own idea of its rate.
        let intervals = ((time - firstTime).nanoseconds + interval * 19 / 20) / interval
        return min(Int64(step) - 1, max(0, intervals - 1))
    }

    /// The frame's time: the kernel's stamp where that can be true, else the moment at which it was taken.
    ///
    /// - Parameters:
    ///   - stamp: microseconds of the monotonic clock; nil when the driver does not use that clock.
    ///   - now: nanoseconds of the monotonic clock.
    mutating func time(stamp: Int64?, now: Int64) -> MediaTime {
        // A frame is taken after it was captured; and not captured before streaming began, but for one long exposure.
        let earliest = max(start / 1_000 - 1_000_000, lastTime == .min ? .min : lastTime + 1)
        let latest = now / 1_000 + 100_000
        let time: Int64
        if let stamp, stamp >= earliest, stamp <= latest {
            time = stamp
        } else {
            replacedStamps += 1
            time = max(now / 1_000, lastTime == .min ? .min : lastTime + 1)
        }
        lastTime = time
        return MediaTime(value: time, timescale: 1_000_000)
    }
}
