import MediaTypes
import RealTime

/// Collects the clock facts that a file stores, so that it can be aligned with other files. Some facts are known when
/// the file begins, the others when it ends. Thread-safe.
struct FileClock: Sendable {
    /// Returns the pauses of the recording before `end`, as times of the file.
    typealias Pauses = @Sendable (_ end: MediaTime) -> [RecordingClock.Pause]

    /// The clock facts at the start of the file: boot, start, group and one reading of the wall clock.
    let begun: RecordingClock
    private let wallTimes: WallTimes
    private let pauses: Pauses
    /// The times of the last clock reading and of the last pause that `passed` has returned.
    private let told = Locked((look: -Double.infinity, pause: -Double.infinity))

    /// Creates the clock of a file that begins now.
    ///
    /// - Parameter start: The device clock's time at the file's time 0.
    init(start: MediaTime, group: String?, wallTimes: WallTimes, pauses: @escaping Pauses) {
        begun = RecordingClock(boot: BootIdentity.text, start: start.seconds, group: group, wall: [wallTimes.now])
        (self.wallTimes, self.pauses) = (wallTimes, pauses)
    }

    /// Returns the clock readings and pauses since the last call; nil if there are none.
    func passed() -> RecordingClock? {
        told.withLock { told in
            var clock = begun
            clock.wall = (begun.wall + wallTimes.since(begun.wall.last?.at ?? 0)).filter { $0.at > told.look }
            clock.pauses = pauses(.positiveInfinity).filter { $0.time > told.pause }
            guard !clock.wall.isEmpty || !clock.pauses.isEmpty else { return nil }
            told = (clock.wall.last?.at ?? told.look, clock.pauses.last?.time ?? told.pause)
            return clock
        }
    }

    /// Returns all clock facts of a file that ends at `end`, a time of the recording.
    func ended(at end: MediaTime) -> RecordingClock {
        var clock = begun
        clock.wall += wallTimes.since(clock.wall.last?.at ?? 0) + [wallTimes.now]
        clock.pauses = pauses(end)
        return clock
    }
}
