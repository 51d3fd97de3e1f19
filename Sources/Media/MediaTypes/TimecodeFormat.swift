/// The counting rule of a timecode track: SMPTE hours, minutes, seconds and frames (QTFF, "Timecode Media"; SMPTE ST
/// 12-1).
///
/// A sample of such a track is a frame number, counted from 00:00:00:00.
public struct TimecodeFormat: Sendable, Hashable {
    /// The duration of one frame.
    public var frameDuration: MediaTime
    /// Frames counted in each second, 1 to 255; 30 for 29.97 frames per second.
    public var framesPerSecond: Int
    /// True if numbers are dropped so that the count keeps up with the clock at 29.97 and 59.94 frames per second.
    public var dropsFrames: Bool
    /// True if the count restarts at 24 hours.
    public var wrapsAt24Hours: Bool
    /// The name of the tape or clock that the count comes from; empty if unknown.
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

    /// Returns the sample with the number of the frame that is shown at `time`.
    ///
    /// - Parameter frameNumber: frames since 00:00:00:00, not counting dropped numbers.
    public func sample(frameNumber: UInt32, at time: MediaTime) -> SampleBuffer {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: frameNumber >> (24 - 8 * $0)) }
        return SampleBuffer(
            format: .timecode(self), content: .data(MediaData(bytes)), presentationTime: time, duration: frameDuration)
    }
}
