import MediaTypes
import RealTime

/// What relates one file to others, as it is told in the file: as it begins, and as it is known at its end. Any thread.
struct FileClock: Sendable {
    /// What was left out before a moment of the recording, in the file's own time.
    typealias Pauses = @Sendable (_ end: MediaTime) -> [RecordingClock.Pause]

    /// What is known when it begins.
    let begun: RecordingClock
    private let wallTimes: WallTimes
    private let pauses: Pauses
    /// Up to where it was told while the file grows: the last look, and where the last pause is.
    private let told = Locked((look: -Double.infinity, pause: -Double.infinity))

    /// - Parameter start: of the devices' clock, at the file's time 0.
    init(start: MediaTime, group: String?, wallTimes: WallTimes, pauses: @escaping Pauses) {
        begun = RecordingClock(boot: BootIdentity.text, start: start.seconds, group: group, wall: [wallTimes.now])
        (self.wallTimes, self.pauses) = (wallTimes, pauses)
    }

    /// What there is to tell since it was last asked; nil for nothing.
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

    /// What is known when it ends, at a moment of the recording.
    func ended(at end: MediaTime) -> RecordingClock {
        var clock = begun
        clock.wall += wallTimes.since(clock.wall.last?.at ?? 0) + [wallTimes.now]
        clock.pauses = pauses(end)
        return clock
    }
}
