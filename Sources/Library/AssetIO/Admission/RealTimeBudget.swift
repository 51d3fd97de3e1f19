public import MediaTypes

/// The limits of a real-time input's queue. Samples beyond them are refused.
public struct RealTimeBudget: Sendable, Hashable {
    /// The time from the oldest waiting sample to the newest.
    public var duration: MediaTime
    public var bytes: Int

    public init(duration: MediaTime = MediaTime(value: 2, timescale: 1), bytes: Int = 96 << 20) {
        self.duration = duration
        self.bytes = bytes
    }
}
