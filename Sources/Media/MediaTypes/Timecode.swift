/// A frame's label: hours, minutes, seconds and frames (SMPTE ST 12-1).
public struct Timecode: Sendable, Hashable {
    public var hours: Int
    public var minutes: Int
    public var seconds: Int
    public var frames: Int

    public init(hours: Int, minutes: Int, seconds: Int, frames: Int) {
        self.hours = hours
        self.minutes = minutes
        self.seconds = seconds
        self.frames = frames
    }
}

extension TimecodeFormat {
    /// Labels dropped at the start of each minute that is not a multiple of ten: 2 at 29.97, 4 at 59.94 frames per
    /// second.
    private var droppedPerMinute: Int64 { dropsFrames ? Int64(counted / 15) : 0 }
    /// Frames counted per second, limited to the range that a file can store.
    private var counted: Int { min(max(1, framesPerSecond), 255) }
    private var framesPerTenMinutes: Int64 { Int64(counted) * 600 - 9 * droppedPerMinute }

    /// Frames in 24 hours of labels.
    public var framesPerDay: Int64 { framesPerTenMinutes * 144 }

    /// Returns the frame's number since 00:00:00:00, not counting dropped labels. For a label that does not exist, such
    /// as 00:01:00;00, returns the number of the next existing label.
    public func frameNumber(of label: Timecode) -> Int64 {
        // Larger values are meaningless in a label; the limit keeps the sum small.
        func bounded(_ value: Int, _ limit: Int64) -> Int64 { min(max(0, Int64(value)), limit) }
        let minutes = bounded(label.hours, 1_000_000) * 60 + bounded(label.minutes, 59)
        let dropped = droppedPerMinute
        var frames = bounded(label.frames, Int64(counted) - 1)
        let seconds = bounded(label.seconds, 59)
        if minutes % 10 != 0, seconds == 0, frames < dropped { frames = dropped }
        return (minutes * 60 + seconds) * Int64(counted) + frames - dropped * (minutes - minutes / 10)
    }

    /// Returns the label of a frame. After 24 hours the labels restart if the format specifies so. A negative number
    /// counts back from midnight.
    public func label(ofFrame number: Int64) -> Timecode {
        var number = number
        if wrapsAt24Hours || number < 0 { number = ((number % framesPerDay) + framesPerDay) % framesPerDay }
        let dropped = droppedPerMinute
        if dropped > 0 {
            let (tens, rest) = number.quotientAndRemainder(dividingBy: framesPerTenMinutes)
            // The first of ten minutes has all its labels. Each of the other nine minutes lacks some labels.
            let whole = Int64(counted) * 60
            let shortened = rest < whole ? 0 : (rest - whole) / (whole - dropped) + 1
            number += dropped * (9 * tens + shortened)
        }
        let seconds = number / Int64(counted)
        return Timecode(
            hours: Int(seconds / 3600), minutes: Int(seconds / 60 % 60), seconds: Int(seconds % 60),
            frames: Int(number % Int64(counted)))
    }

    /// Returns the number of the frame for a time of day.
    ///
    /// If labels are dropped, the frames since midnight are counted. The label then stays within a tenth of a second of
    /// the clock all day. Otherwise the label shows the clock's hour, minute and second, and the frame within that
    /// second. At 29.97 frames per second, these labels fall behind the clock by 3.6 seconds an hour, as is normal for
    /// this kind of timecode.
    ///
    /// - Parameter time: the time since midnight; times outside a day are wrapped into it.
    public func frameNumber(atTimeOfDay time: MediaTime) -> UInt32 {
        let nanoseconds = Self.withinDay(time.nanoseconds)
        let number: Int64
        if dropsFrames, frameDuration.isNumeric, frameDuration.value > 0 {
            number = MediaTime(nanoseconds: nanoseconds).frames(of: frameDuration)
        } else {
            let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            // The nanosecond lost in rounding the clock's reading must not lead to the previous frame.
            number = seconds * Int64(counted) + ((rest + 1) * Int64(counted) - 1) / 1_000_000_000
        }
        return UInt32(clamping: number % framesPerDay)
    }

    /// Returns the time of day at which a frame begins: the inverse of `frameNumber(atTimeOfDay:)`.
    public func timeOfDay(ofFrame number: Int64) -> MediaTime {
        let number = ((number % framesPerDay) + framesPerDay) % framesPerDay
        if dropsFrames, frameDuration.isNumeric, frameDuration.value > 0 {
            let (value, overflow) = frameDuration.value.multipliedReportingOverflow(by: number)
            return overflow ? .invalid : MediaTime(value: value, timescale: frameDuration.timescale)
        }
        return MediaTime(value: number, timescale: Int32(counted))
    }

    private static func withinDay(_ nanoseconds: Int64) -> Int64 {
        let day: Int64 = 86_400_000_000_000
        return ((nanoseconds % day) + day) % day
    }

    /// Formats the label: `10:00:00:12`, with a semicolon before the frames if labels are dropped.
    public func text(_ label: Timecode) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
        return two(label.hours) + ":" + two(label.minutes) + ":" + two(label.seconds) + (dropsFrames ? ";" : ":")
            + two(label.frames)
    }
}

extension MediaTime {
    /// Returns the number of complete frames in this time, if each frame lasts `duration`. The nanosecond lost in
    /// rounding a clock's reading must not lead to the previous frame.
    fileprivate func frames(of duration: MediaTime) -> Int64 {
        let numerator = (Int128(value) + 1) * Int128(duration.timescale)
        let denominator = Int128(timescale) * Int128(duration.value)
        return Int64(clamping: (numerator - 1) / denominator)
    }
}
