/// How often something took how long: counts in fixed buckets, as Prometheus wants them. A plain value of constant size.
public struct LatencyHistogram: Sendable, Equatable {
    /// Upper ends of the buckets, in seconds; one more bucket holds everything above.
    public static let bounds: [Double] = [
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]

    /// One for each of `bounds`, and one for what took longer. Not cumulative.
    public private(set) var counts = [Int64](repeating: 0, count: bounds.count + 1)
    public private(set) var count: Int64 = 0
    /// Seconds.
    public private(set) var sum = 0.0
    /// Seconds.
    public private(set) var longest = 0.0

    public init() {}

    public mutating func add(nanoseconds: Int64) {
        let seconds = Double(max(0, nanoseconds)) / 1e9
        let index = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        counts[index] += 1
        count += 1
        sum += seconds
        longest = max(longest, seconds)
    }
}

/// A histogram that several threads add to. Each addition is constant work under a lock of its own.
public final class LatencyMeter: Sendable {
    private let state = Locked(LatencyHistogram())

    public init() {}

    /// Runs `body` and notes how long it took.
    public func measure<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let clock = MonotonicClock()
        let start = clock.nanoseconds
        defer { state.withLock { $0.add(nanoseconds: clock.nanoseconds - start) } }
        return try body()
    }

    public var histogram: LatencyHistogram { state.withLock { $0 } }
}
