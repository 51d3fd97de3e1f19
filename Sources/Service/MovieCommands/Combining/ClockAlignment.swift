import AssetIO
import MediaTypes

/// The positions of recordings on one timeline along their entire length, from the clock times in their files. A pure
/// value.
///
/// The common timeline runs like the clock of the first recording's machine. Recordings of one boot keep the distances
/// that this boot's clock measured; recordings of other boots are placed by the wall clocks. The choice of the
/// reference does not change the positions relative to each other.
struct ClockAlignment {
    struct Recording {
        var clock: RecordingClock
        /// The movie's duration in seconds.
        var duration: Double
    }

    enum Refusal: Error {
        /// The recordings are from different boots, and not all contain wall clock times.
        case withoutTime
        /// The recordings begin more than `farthest` apart, for example because a file contains impossible times.
        case tooFarApart
    }

    /// The facts to report about one recording.
    struct Finding: Equatable {
        /// The relative amount by which the recording's clock ran faster than the reference clock: 0.0001 is 100 ppm.
        var rate = 0.0
        /// The number of seconds by which the recording is longer on the common timeline than in its file.
        var gain = 0.0
        /// The largest step of the machine's wall clock during the recording, in seconds.
        var step = 0.0
        /// True if the recording contains wall clock readings up to its end.
        var isKnownToItsEnd = true
    }

    /// The maximum number of seconds between the beginnings of combined recordings.
    static let farthest = 31.0 * 86_400
    /// The maximum time without a clock reading, in seconds. Readings are taken about once a minute.
    private static let patience = 150.0

    /// The maps from each recording's time to the common timeline.
    let maps: [TimeMap]
    let findings: [Finding]
    /// True if all recordings are of one boot of one machine.
    let isOneBoot: Bool
    /// The maximum error of the alignment in seconds; 0 if all recordings are of one boot, nil if the accuracy of a
    /// wall clock is unknown.
    let uncertainty: Double?
    /// The seconds during which every recording in progress was paused. The combined movie leaves them out.
    let leftOut: Double

    /// The end of each recording on the common timeline, in seconds.
    private let ends: [Double]

    /// A time range in which nothing was recorded.
    struct Gap: Equatable {
        /// The indices of the recordings before and after the gap.
        var before: Int
        var after: Int
        var seconds: Double
    }

    /// The longest gap between two recordings; nil if no gap is longer than `tolerance`.
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

    /// The longest gap that is tolerated, in seconds. A split, or a device that reconnects at once, causes a shorter
    /// one.
    private static let tolerance = 2.0

    /// The beginning of each recording on the common timeline, in seconds.
    var offsets: [Double] { maps.map { $0.target(of: .zero).seconds } }

    init(_ recordings: [Recording]) throws(Refusal) {
        guard let first = recordings.first else { throw .withoutTime }
        isOneBoot = !first.clock.boot.isEmpty && recordings.allSatisfy { $0.clock.boot == first.clock.boot }
        let lines: [TimelineMap]
        if isOneBoot {
            (lines, uncertainty) = (recordings.map { _ in TimelineMap() }, 0)
            findings = recordings.map { _ in Finding() }
        } else {
            let walls = try Self.walls(recordings)
            lines = walls.map { TimelineMap($0, reference: walls[0]) }
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

    /// Returns the wall clock of each recording; recordings of one boot share all their readings.
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

    /// Returns the sum of the two largest errors, which may have opposite signs.
    private static func uncertainty(_ recordings: [Recording], _ walls: [WallLine]) -> Double? {
        let known = walls.compactMap(\.uncertainty).sorted(by: >)
        return known.count == walls.count ? known.prefix(2).reduce(0, +) : nil
    }

    private static func finding(_ recording: Recording, _ line: TimelineMap, _ wall: WallLine) -> Finding {
        var finding = Finding(step: wall.step)
        let start = recording.clock.start
        let end = start + max(0, recording.duration)
        finding.gain = (line.time(at: end) - line.time(at: start)) - (end - start)
        if end > start { finding.rate = -finding.gain / (end - start) }
        finding.isKnownToItsEnd = end - (recording.clock.wall.last?.at ?? start) <= patience
        return finding
    }
}

/// The mapping from a machine's clock to the common timeline. A pure value; all times are seconds.
struct TimelineMap {
    private let walls: (own: WallLine, reference: WallLine)?
    /// The times of the machine's clock at which the rate of the mapping changes. Before the first and after the last
    /// of them, both clocks run at the same rate.
    let bends: [Double]

    /// Creates the identity: the machine's clock is the reference.
    init() { (walls, bends) = (nil, []) }

    init(_ own: WallLine, reference: WallLine) {
        walls = own == reference ? nil : (own, reference)
        bends =
            own == reference ? [] : (own.bends.map(\.at) + reference.bends.map { own.time(atWall: $0.wall) }).sorted()
    }

    func time(at moment: Double) -> Double {
        walls.map { $0.reference.time(atWall: $0.own.wall(at: moment)) } ?? moment
    }
}
