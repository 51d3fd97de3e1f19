import MediaTypes
import RealTime

/// What the wall clock said since a session began, about once a minute: so that its files can be placed beside those of other
/// machines along their whole length. Any thread.
final class WallTimes: Sendable {
    /// Past so many every other one goes, and they come half as often from then on.
    static let most = RecordingClock.mostLooks

    private struct State {
        var times: [RecordingClock.WallTime] = []
        var interval: Int64 = 60_000_000_000
        var last: Int64?
    }

    private let foundations: SessionFoundations
    private let state = Locked(State())

    init(_ foundations: SessionFoundations) { self.foundations = foundations }

    /// Both clocks at one moment: read again where somebody else had the processor between the two.
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

    /// Looks at the clock where that is due.
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

    /// Those since a moment.
    func since(_ time: Double) -> [RecordingClock.WallTime] {
        state.withLock { $0.times.filter { $0.at > time } }
    }
}
