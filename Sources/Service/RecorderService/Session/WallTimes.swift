import MediaTypes
import RealTime

/// The readings of the wall clock since a session began, about one per minute. They make it possible to align the
/// session's files with those of other machines over their entire length. Thread-safe.
final class WallTimes: Sendable {
    /// Maximum number of kept readings. If there are more, every second reading is removed, and the interval doubles.
    static let most = RecordingClock.mostLooks

    private struct State {
        var times: [RecordingClock.WallTime] = []
        var interval: Int64 = 60_000_000_000
        var last: Int64?
    }

    private let foundations: SessionFoundations
    private let state = Locked(State())

    init(_ foundations: SessionFoundations) { self.foundations = foundations }

    /// A new reading of both clocks. The clocks are read again if the thread was preempted between the two.
    var now: RecordingClock.WallTime {
        var attempt = 0
        while true {
            let before = foundations.clock.nanoseconds
            let date = foundations.wallClock()
            attempt += 1
            guard foundations.clock.nanoseconds - before < 1_000_000 || attempt == 5 else { continue }
            return RecordingClock.WallTime(
                at: Double(before) / 1e9, wall: date.timeIntervalSince1970, uncertainty: foundations.wallError())
        }
    }

    /// Reads the wall clock if a reading is due.
    func tick(at now: Int64) {
        let isDue = state.withLock { state in
            guard state.last.map({ now - $0 >= state.interval }) ?? true else { return false }
            state.last = now
            return true
        }
        guard isDue else { return }
        let time = self.now
        state.withLock { state in
            state.times.append(time)
            guard state.times.count > Self.most else { return }
            state.times = state.times.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            state.interval *= 2
        }
    }

    /// Returns the readings after a time.
    func since(_ time: Double) -> [RecordingClock.WallTime] {
        state.withLock { $0.times.filter { $0.at > time } }
    }
}
