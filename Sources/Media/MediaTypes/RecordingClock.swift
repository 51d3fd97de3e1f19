import Foundation

/// The start of a recording by the machine's clock and by the wall clock, to relate it to other recordings.
///
/// Recordings from one boot of one machine are aligned by `start`, exactly to the sample. Recordings from different
/// machines are aligned by `wall`, within the uncertainty of the readings. All times are seconds.
public struct RecordingClock: Sendable, Hashable, Codable {
    /// A reading of the wall clock together with the machine's clock.
    public struct WallTime: Sendable, Hashable, Codable {
        /// `CLOCK_MONOTONIC` (clock_gettime(2)), which timestamps the data of all cameras and microphones of a machine.
        public var at: Double
        /// Seconds since 1970.
        public var wall: Double
        /// The maximum error of the wall clock, as declared by the program that synchronizes it, such as NTP
        /// (adjtimex(2)); nil if the clock is not synchronized.
        public var uncertainty: Double?

        public init(at: Double, wall: Double, uncertainty: Double? = nil) {
            self.at = at
            self.wall = wall
            self.uncertainty = uncertainty
        }

        /// The number of seconds to add to the machine's clock to get the wall clock.
        var offset: Double { wall - at }
    }

    /// A time range that the movie does not contain, because the recording was paused.
    public struct Pause: Sendable, Hashable, Codable {
        /// The position of the pause, from the movie's start.
        public var time: Double
        /// The length of the pause.
        public var duration: Double

        public init(time: Double, duration: Double) {
            self.time = time
            self.duration = duration
        }
    }

    /// Identifies the boot of the machine that `at` and `start` refer to.
    public var boot: String
    /// The machine's clock at time 0 of the movie.
    public var start: Double
    /// The group of recorders that this recorder belonged to.
    public var group: String?
    /// Readings in the order of `at`: at the start, about once a minute, at the end.
    public var wall: [WallTime]
    /// Pauses in the order of their times.
    public var pauses: [Pause]

    public init(
        boot: String, start: Double, group: String? = nil, wall: [WallTime] = [], pauses: [Pause] = []
    ) {
        self.boot = boot
        self.start = start
        self.group = group
        self.wall = wall
        self.pauses = pauses
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        boot = try container.decode(String.self, forKey: .boot)
        start = try container.decode(Double.self, forKey: .start)
        group = try container.decodeIfPresent(String.self, forKey: .group)
        wall = try container.decode([WallTime].self, forKey: .wall)
        // Files of 0.1 do not contain pauses.
        pauses = try container.decodeIfPresent([Pause].self, forKey: .pauses) ?? []
    }

    /// Time 0 of the movie in seconds since 1970, by the nearest reading of the wall clock; nil if there is no reading.
    public var wallStart: Double? {
        wall.min { abs($0.at - start) < abs($1.at - start) }.map { start + $0.offset }
    }

    /// The maximum uncertainty of all readings; nil if there are no readings, or if one reading has no uncertainty.
    public var uncertainty: Double? {
        let known = wall.compactMap(\.uncertainty)
        return known.count == wall.count ? known.max() : nil
    }

    /// The drift between the wall clock and the machine's clock from the first reading to the last.
    public var drift: Double { (wall.last?.offset ?? 0) - (wall.first?.offset ?? 0) }

    /// Creates the clock from a movie's metadata; nil if the metadata contains no clock, or an invalid one.
    public init?(_ metadata: [MetadataItem]) {
        guard let text = metadata.first(where: { $0.key == MetadataItem.clockKey })?.value else { return nil }
        self.init(text: text)
    }

    /// Creates the clock from the text of the metadata item.
    package init?(text: String) {
        // Larger values cannot be added as times, and a file may contain any number.
        let isTime = { (seconds: Double) in seconds.magnitude <= 1e12 }
        guard let clock = try? JSONDecoder().decode(RecordingClock.self, from: Data(text.utf8)),
            clock.wall.count <= Self.mostInText, clock.pauses.count <= Self.mostInText,
            isTime(clock.start), clock.wall.allSatisfy({ isTime($0.at) && isTime($0.wall) }),
            clock.wall.allSatisfy({ $0.uncertainty.map { isTime($0) && $0 >= 0 } ?? true }),
            clock.pauses.allSatisfy({ isTime($0.time) && $0.time >= 0 && isTime($0.duration) && $0.duration >= 0 })
        else { return nil }
        self = clock
    }

    /// The maximum number of readings, and of pauses, that are read from a file: far more than a recorder writes. There
    /// is a limit because each pause of a recording is compared with the pauses of other recordings.
    private static let mostInText = 1 << 14

    /// The maximum number of readings, and of pauses. If there are more, every other reading and the earliest pauses
    /// are removed.
    package static let mostLooks = 1024

    /// Adds later readings and pauses of the same file. They are reported one part after the other while the file is
    /// written.
    package mutating func add(_ later: RecordingClock) {
        let (look, pause) = (wall.last?.at ?? -.infinity, pauses.last?.time ?? -.infinity)
        wall += later.wall.filter { $0.at > look }
        pauses += later.pauses.filter { $0.time > pause }
        if wall.count > Self.mostLooks { wall = wall.enumerated().filter { $0.offset % 2 == 0 }.map(\.element) }
        if pauses.count > Self.mostLooks { pauses.removeFirst(pauses.count - Self.mostLooks) }
    }

    package func adding(_ later: RecordingClock) -> RecordingClock {
        var clock = self
        clock.add(later)
        return clock
    }

    /// The clock in the form that a movie stores.
    public var metadataItem: MetadataItem {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
        return MetadataItem(key: MetadataItem.clockKey, value: json ?? "{}")
    }
}
