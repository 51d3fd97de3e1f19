import MediaTypes
import RealTime

/// Relates one file to others in time, as stored in the file: at its beginning, and with what is known at its end.
/// Thread-safe.
struct FileClock: Sendable {
    /// Returns the pauses before a time of the recording, in the file's own time.
    typealias Pauses = @Sendable (_ end: MediaTime) -> [RecordingClock.Pause]

    /// The values that are known when the file begins.
    let begun: RecordingClock
    private let wallTimes: WallTimes
    private let pauses: Pauses
    /// The newest values that are already in the growing file: the last look at the clock, and the last pause.
    private let told = Locked((look: -Double.infinity, pause: -Double.infinity))

    /// Creates the clock of a file that begins now.
    ///
    /// - Parameter start: The device clock's time at the file's time 0.
    init(start: MediaTime, group: String?, wallTimes: WallTimes, pauses: @escaping Pauses) {
        begun = RecordingClock(boot: BootIdentity.text, start: start.seconds, group: group, wall: [wallTimes.now])
        (self.wallTimes, self.pauses) = (wallTimes, pauses)
    }

    /// Returns the values that are new since the last call; nil if there are none.
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

    /// Returns the values that are known when the file ends, at a time of the recording.
    func ended(at end: MediaTime) -> RecordingClock {
        var clock = begun
        clock.wall += wallTimes.since(clock.wall.last?.at ?? 0) + [wallTimes.now]
        clock.pauses = pauses(end)
        return clock
    }
}
