import Synchronization

/// A histogram that several threads add durations to. An addition needs only a few atomic operations and no lock,
/// because the meter measures code that must not wait.
package final class LatencyMeter: Sendable {
    private let counts = InlineArray<18, Atomic<Int64>> { _ in Atomic(0) }
    /// The sum of all durations, in nanoseconds.
    private let sum = Atomic<Int64>(0)
    private let longest = Atomic<Int64>(0)

    package init() { precondition(counts.count == LatencyHistogram.bounds.count + 1) }

    /// Runs `body` and records how long it took.
    package func measure<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let clock = MonotonicClock()
        let start = clock.nanoseconds
        defer { add(nanoseconds: max(0, clock.nanoseconds - start)) }
        return try body()
    }

    private func add(nanoseconds: Int64) {
        counts[LatencyHistogram.index(of: Double(nanoseconds) / 1e9)].wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(nanoseconds, ordering: .relaxed)
        longest.max(nanoseconds, ordering: .relaxed)
    }

    /// The measurements up to now. Some of the figures may already include an addition that runs at the same time.
    package var histogram: LatencyHistogram {
        LatencyHistogram(
            counts: counts.indices.map { counts[$0].load(ordering: .relaxed) }, sum: sum.load(ordering: .relaxed),
            longest: longest.load(ordering: .relaxed))
    }
}

/// A histogram of durations, with counts in fixed buckets as Prometheus expects them. A plain value of constant size.
package struct LatencyHistogram: Sendable, Equatable {
    /// The upper bounds of the buckets, in seconds. One more bucket holds all longer durations.
    package static let bounds: [Double] = [
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]

    /// One count for each of `bounds`, and one for longer durations. Not cumulative.
    package private(set) var counts = [Int64](repeating: 0, count: bounds.count + 1)
    package private(set) var count: Int64 = 0
    /// The sum of all durations, in seconds.
    package private(set) var sum = 0.0
    /// The longest duration, in seconds.
    package private(set) var longest = 0.0

    package init() {}

    /// - Parameters:
    ///   - counts: one count for each bucket, in the order of the property `counts`.
    ///   - sum: the sum of all durations, in nanoseconds.
    ///   - longest: the longest duration, in nanoseconds.
    init(counts: [Int64], sum: Int64, longest: Int64) {
        self.counts = counts
        count = counts.reduce(0, +)
        self.sum = Double(sum) / 1e9
        self.longest = Double(longest) / 1e9
    }

    /// Returns the index of the bucket for a duration.
    static func index(of seconds: Double) -> Int { bounds.firstIndex { seconds <= $0 } ?? bounds.count }

    package mutating func add(nanoseconds: Int64) {
        let seconds = Double(max(0, nanoseconds)) / 1e9
        counts[Self.index(of: seconds)] += 1
        count += 1
        sum += seconds
        longest = max(longest, seconds)
    }
}
