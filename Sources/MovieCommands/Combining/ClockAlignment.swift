import AssetIO
import MediaTypes

/// Where recordings lie beside each other along their whole length, by what their files say of the clocks. A pure value.
///
/// The clock of the first one's machine is the film's: recordings of that boot keep their own distances, those of others follow
/// by the wall clocks. Which one is taken changes nothing of how they lie to each other.
struct ClockAlignment {
    struct Recording {
        var clock: RecordingClock
        /// Seconds, of the movie.
        var duration: Double
    }

    enum Refusal: Error {
        /// They are of different boots, and not each says what time it was.
        case withoutTime
        /// Nobody combines what is of different months: a file says what cannot be.
        case tooFarApart
    }

    /// What is to be told of one of them.
    struct Finding: Equatable {
        /// How much faster than the film's its clock ran, as a part of it.
        var rate = 0.0
        /// How much longer the film is for it, in seconds, than it is itself.
        var gain = 0.0
        /// By how much its wall clock was set while it was looked at.
        var step = 0.0
        /// It says what the wall clock said until its end.
        var isKnownToItsEnd = true
    }

    /// Seconds between the beginnings of recordings of the same time.
    static let farthest = 31.0 * 86_400
    /// Behind the last look so much is no gap: they come about each minute.
    private static let patience = 150.0

    /// From each one's own time to the film's.
    let maps: [TimeMap]
    let findings: [Finding]
    /// All are of one boot of one machine.
    let isOneBoot: Bool
    /// Seconds by which they may be wrong; 0 where all are of one boot, nil where nobody vouches for a wall clock.
    let uncertainty: Double?
    /// Seconds in which all that went on were paused, and which the film leaves out.
    let leftOut: Double

    /// Seconds from the movie's beginning to each one's end.
    private let ends: [Double]

    /// Time in which nothing was recorded.
    struct Gap: Equatable {
        /// The recordings before and after it, by their places.
        var before: Int
        var after: Int
        var seconds: Double
    }

    /// The longest time between two recordings in which none went on; nil where they overlap, or nearly.
    var gap: Gap? {
        let order = maps.indices.sorted { offsets[$0] < offsets[$1] }
        var gaps: [Gap] = []
        var last = order.first ?? 0
        for index in order.dropFirst() {
            let length = offsets[index] - ends[last]
            if length > Self.tolerance { gaps.append(Gap(before: last, after: index, seconds: length)) }
            if ends[index] > ends[last] { last = index }
        }
        return gaps.max { $0.seconds < $1.seconds }
    }

    /// Seconds: as long as a split, or a device that comes back at once.
    private static let tolerance = 2.0

    /// Seconds from the film's beginning to each one's.
    var offsets: [Double] { maps.map { $0.target(of: .zero).seconds } }

    init(_ recordings: [Recording]) throws(Refusal) {
        guard let first = recordings.first else { throw .withoutTime }
        isOneBoot = !first.clock.boot.isEmpty && recordings.allSatisfy { $0.clock.boot == first.clock.boot }
        let lines: [FilmLine]
        if isOneBoot {
            (lines, uncertainty) = (recordings.map { _ in FilmLine() }, 0)
            findings = recordings.map { _ in Finding() }
        } else {
            let walls = try Self.walls(recordings)
            lines = walls.map { FilmLine($0, film: walls[0]) }
            uncertainty = Self.uncertainty(recordings, walls)
            findings = zip(recordings, zip(lines, walls)).map { Self.finding($0, $1.0, $1.1) }
        }
        let placed = zip(recordings, lines).map { PlacedRecording($0.clock, duration: $0.duration, line: $1) }
        let starts = placed.map(\.start)
        guard let begin = starts.min(), let last = starts.max(), last - begin <= Self.farthest,
            placed.allSatisfy({ $0.end - $0.start <= Self.farthest })
        else { throw .tooFarApart }
        let shared = SharedPauses(placed)
        leftOut = shared.total
        let origin = shared.moved(begin)
        var maps: [TimeMap] = []
        for recording in placed {
            guard let map = recording.map({ shared.moved($0) - origin }) else { throw .tooFarApart }
            maps.append(map)
        }
        self.maps = maps
        ends = placed.map { shared.moved($0.end) - origin }
    }

    /// What each one's wall clock said; of a boot, all that its recordings saw.
    private static func walls(_ recordings: [Recording]) throws(Refusal) -> [WallLine] {
        let boots = recordings.enumerated().map { $1.clock.boot.isEmpty ? "\($0)" : "=" + $1.clock.boot }
        let base = recordings[0].clock.wallStart.map { $0 - recordings[0].clock.start } ?? 0
        var known: [String: WallLine] = [:]
        var walls: [WallLine] = []
        for boot in boots {
            if known[boot] == nil {
                let looks = zip(boots, recordings).filter { $0.0 == boot }.flatMap(\.1.clock.wall)
                known[boot] = WallLine(looks, base: base)
            }
            guard let wall = known[boot] else { throw .withoutTime }
            walls.append(wall)
        }
        return walls
    }

    /// Two of them may be wrong in opposite directions.
    private static func uncertainty(_ recordings: [Recording], _ walls: [WallLine]) -> Double? {
        let known = walls.compactMap(\.uncertainty).sorted(by: >)
        return known.count == walls.count ? known.prefix(2).reduce(0, +) : nil
    }

    private static func finding(_ recording: Recording, _ line: FilmLine, _ wall: WallLine) -> Finding {
        var finding = Finding(step: wall.step)
        let start = recording.clock.start
        let end = start + max(0, recording.duration)
        finding.gain = (line.time(at: end) - line.time(at: start)) - (end - start)
        if end > start { finding.rate = -finding.gain / (end - start) }
        finding.isKnownToItsEnd = end - (recording.clock.wall.last?.at ?? start) <= patience
        return finding
    }
}

/// The film's time at any moment of a machine's clock. A pure value; seconds.
struct FilmLine {
    private let walls: (own: WallLine, film: WallLine)?
    /// Moments of the machine's clock at which it bends; outside of them both run alike.
    let bends: [Double]

    /// The machine's clock is the film's.
    init() { (walls, bends) = (nil, []) }

    init(_ own: WallLine, film: WallLine) {
        walls = own == film ? nil : (own, film)
        bends = own == film ? [] : (own.bends.map(\.at) + film.bends.map { own.time(atWall: $0.wall) }).sorted()
    }

    func time(at moment: Double) -> Double {
        walls.map { $0.film.time(atWall: $0.own.wall(at: moment)) } ?? moment
    }
}
