import Foundation

/// What relates a recording to others: when it began, by the clock of the machine and by the wall's.
///
/// Recordings of one boot of one machine are placed by `start`, to the sample; those of different machines by `wall`, within
/// its uncertainty. All times are seconds.
public struct RecordingClock: Sendable, Hashable, Codable {
    /// What the wall clock said at a moment of the machine's clock.
    public struct WallTime: Sendable, Hashable, Codable {
        /// Of `CLOCK_MONOTONIC` (clock_gettime(2)), in which all cameras and microphones of a machine stamp their data.
        public var at: Double
        /// Since 1970.
        public var wall: Double
        /// The largest error that whoever sets the clock admits, as NTP (adjtimex(2)); nil where nobody vouches for it.
        public var uncertainty: Double?

        public init(at: Double, wall: Double, uncertainty: Double? = nil) {
            self.at = at
            self.wall = wall
            self.uncertainty = uncertainty
        }

        /// What is to be added to the machine's clock.
        var offset: Double { wall - at }
    }

    /// Time that passed and is not in the movie: the recording was paused.
    public struct Pause: Sendable, Hashable, Codable {
        /// Where it is missing, from the movie's beginning.
        public var time: Double
        /// How much is missing.
        public var duration: Double

        public init(time: Double, duration: Double) {
            self.time = time
            self.duration = duration
        }
    }

    /// Which boot of which machine `at` and `start` count from.
    public var boot: String
    /// The machine's clock at time 0 of the movie.
    public var start: Double
    /// Which recorders it was one with.
    public var group: String?
    /// In the order of `at`: at the begin, about each minute, at the end.
    public var wall: [WallTime]
    /// In the order of their times.
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
        // Files of 0.1 do not tell.
        pauses = try container.decodeIfPresent([Pause].self, forKey: .pauses) ?? []
    }

    /// Time 0 of the movie in seconds since 1970, by the nearest look at the wall clock; nil without any.
    public var wallStart: Double? {
        wall.min { abs($0.at - start) < abs($1.at - start) }.map { start + $0.offset }
    }

    /// The largest uncertainty of all looks; nil where one of them had nobody who vouches, or there is none.
    public var uncertainty: Double? {
        let known = wall.compactMap(\.uncertainty)
        return known.count == wall.count ? known.max() : nil
    }

    /// By how much the wall clock and the machine's went apart from the first look to the last.
    public var drift: Double { (wall.last?.offset ?? 0) - (wall.first?.offset ?? 0) }

    /// From a movie's metadata; nil where it has none, or none that can be used.
    public init?(_ metadata: [MetadataItem]) {
        guard let text = metadata.first(where: { $0.key == MetadataItem.clockKey })?.value else { return nil }
        self.init(text: text)
    }

    /// From the text of the metadata's item.
    package init?(text: String) {
        // Sums of what is larger are no times any more, and a file may say anything.
        let isTime = { (seconds: Double) in seconds.magnitude <= 1e12 }
        guard let clock = try? JSONDecoder().decode(RecordingClock.self, from: Data(text.utf8)),
            isTime(clock.start), clock.wall.allSatisfy({ isTime($0.at) && isTime($0.wall) }),
            clock.wall.allSatisfy({ $0.uncertainty.map { isTime($0) && $0 >= 0 } ?? true }),
            clock.pauses.allSatisfy({ isTime($0.time) && $0.time >= 0 && isTime($0.duration) && $0.duration >= 0 })
        else { return nil }
        self = clock
    }

    /// So many looks are told at most: past that every other one goes.
    package static let mostLooks = 1024

    /// Takes over what was seen later: of the same file, told in pieces.
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

    /// As it stands in a movie.
    public var metadataItem: MetadataItem {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
        return MetadataItem(key: MetadataItem.clockKey, value: json ?? "{}")
    }
}
