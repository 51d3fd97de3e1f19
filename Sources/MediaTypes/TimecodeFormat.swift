/// How a timecode track counts: SMPTE hours, minutes, seconds and frames (QTFF, "Timecode Media"; SMPTE ST 12-1).
///
/// A sample of such a track is the number of the frame that it stands for, counted from 00:00:00:00.
public struct TimecodeFormat: Sendable, Hashable {
    /// How long one frame lasts.
    public var frameDuration: MediaTime
    /// Frames counted in each second: 30 for 29.97 frames a second too. 1 to 255.
    public var framesPerSecond: Int
    /// Numbers are left out so that the count keeps up with the clock at 29.97 and 59.94 frames a second.
    public var dropsFrames: Bool
    /// The count begins again at 24 hours.
    public var wrapsAt24Hours: Bool
    /// The tape or clock that the count was taken from; empty for none.
    public var sourceName: String

    public init(
        frameDuration: MediaTime, framesPerSecond: Int, dropsFrames: Bool = false, wrapsAt24Hours: Bool = true,
        sourceName: String = ""
    ) {
        self.frameDuration = frameDuration
        self.framesPerSecond = framesPerSecond
        self.dropsFrames = dropsFrames
        self.wrapsAt24Hours = wrapsAt24Hours
        self.sourceName = sourceName
    }

    /// Bytes of one sample: a 32-bit frame number (`tmcd`).
    public static let sampleSize = 4

    /// The sample that says which frame is shown at `time`.
    ///
    /// - Parameter frameNumber: frames since 00:00:00:00, numbers that are left out not counted.
    public func sample(frameNumber: UInt32, at time: MediaTime) -> SampleBuffer {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: frameNumber >> (24 - 8 * $0)) }
        return SampleBuffer(
            format: .timecode(self), content: .data(MediaData(bytes)), presentationTime: time, duration: frameDuration)
    }
}
