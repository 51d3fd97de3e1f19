import MediaTypes

/// What relates one file to others, as it is told in the file: as it begins, and as it is known at its end. Any thread.
struct FileClock: Sendable {
    /// What was left out before a moment of the recording, in the file's own time.
    typealias Pauses = @Sendable (_ end: MediaTime) -> [RecordingClock.Pause]

    /// What is known when it begins.
    let begun: RecordingClock
    private let wallTimes: WallTimes
    private let pauses: Pauses

    /// - Parameter start: of the devices' clock, at the file's time 0.
    init(start: MediaTime, group: String?, wallTimes: WallTimes, pauses: @escaping Pauses) {
        begun = RecordingClock(boot: BootIdentity.text, start: start.seconds, group: group, wall: [wallTimes.now])
        (self.wallTimes, self.pauses) = (wallTimes, pauses)
    }

    /// What is known when it ends, at a moment of the recording.
    func ended(at end: MediaTime) -> RecordingClock {
        var clock = begun
        clock.wall += wallTimes.since(clock.wall.last?.at ?? 0) + [wallTimes.now]
        clock.pauses = pauses(end)
        return clock
    }
}
