import Foundation
import MediaTypes
import RealTime

/// Maps the times of frames to the wall clock. Used by one thread at a time.
///
/// The devices' clock and the wall clock run at the same rate, because the kernel adjusts both. Their offset changes
/// only if the wall clock is set, or by a leap second. So an offset is used until a reading of both clocks contradicts
/// it. If the thread is preempted between the two clocks, the reading is too inexact to contradict the offset.
struct FrameClock {
    private let clock: any HostClock
    private let wallClock: @Sendable () -> Date
    /// The wall clock minus the devices' clock, in nanoseconds.
    private var offset: Int64?

    /// The maximum rounding error of a `Date`, in nanoseconds.
    private static let rounding: Int64 = 500
    /// The maximum duration of a reading that is exact enough for a new offset, in nanoseconds.
    private static let quick: Int64 = 20_000
    private static let mostAttempts = 5

    init(
        clock: any HostClock = MonotonicClock(), wallClock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.clock = clock
        self.wallClock = wallClock
    }

    /// Converts a time of the devices' clock to nanoseconds of the wall clock since 1970. Never blocks.
    mutating func wall(at time: MediaTime) -> Int64 { time.nanoseconds &+ currentOffset() }

    private mutating func currentOffset() -> Int64 {
        var best: ClosedRange<Int64>?
        for _ in 0..<Self.mostAttempts {
            let range = reading()
            if let offset, range.contains(offset) { return offset }
            if best.map({ Self.length(range) < Self.length($0) }) ?? true { best = range }
            if Self.length(range) <= Self.quick { break }
        }
        guard let best else { return offset ?? 0 }
        let middle = best.lowerBound &+ Self.length(best) / 2
        offset = middle
        return middle
    }

    /// Reads both clocks. Returns the offsets that are possible.
    private func reading() -> ClosedRange<Int64> {
        let before = clock.nanoseconds
        let wall = Self.nanoseconds(wallClock())
        let after = max(before, clock.nanoseconds)
        let (low, high) = (wall &- after &- Self.rounding, wall &- before &+ Self.rounding)
        return low...max(low, high)
    }

    private static func length(_ range: ClosedRange<Int64>) -> Int64 { range.upperBound &- range.lowerBound }

    /// Returns a date in nanoseconds since 1970.
    private static func nanoseconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970
        let whole = seconds.rounded(.down)
        return Int64(clamping: whole) &* 1_000_000_000 &+ Int64(clamping: ((seconds - whole) * 1e9).rounded())
    }
}
