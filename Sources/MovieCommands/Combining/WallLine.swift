import MediaTypes

/// What one machine's wall clock says at any moment of a boot, by the looks that its recordings took at it. A pure value; seconds.
///
/// Between two looks the wall clock is taken to have run evenly, before the first and behind the last as the machine's. Where
/// it moved faster than a clock can be off, somebody set it: then the side of the step is believed that is better vouched for,
/// or longer known, or first; of the other sides only how the clock ran. docs/decisions/time.md argues the numbers.
struct WallLine: Equatable {
    /// Where it bends: a moment of the machine's clock, and what is then to be added to it.
    struct Bend: Equatable {
        var at: Double
        var offset: Double

        var wall: Double { at + offset }
    }

    /// The kernel itself takes no clock to be further off (Linux, `MAXFREQ`).
    static let greatestRate = 500e-6
    /// What a look may be off by for want of the processor.
    static let readingError = 0.001
    /// Looks that are nearer to each other say nothing of a rate.
    static let leastDistance = 10.0
    /// A clock that stays within this much does not run apart: what is seen is how looks are taken.
    static let stillness = 0.0001

    /// In order of both clocks; one at least.
    let bends: [Bend]
    /// The largest error that is admitted; nil where nobody vouches.
    let uncertainty: Double?
    /// By how much the clock was set, at most; 0 where it never was.
    let step: Double

    /// nil without any look that can be believed.
    ///
    /// - Parameter base: taken off all times of the wall clock, so that they are small numbers.
    init?(_ looks: [RecordingClock.WallTime], base: Double = 0) {
        let runs = Self.runs(of: Self.apart(looks.filter(\.isPossible).sorted { $0.at < $1.at }))
        guard let anchor = runs.indices.min(by: { Self.isBetter(runs[$0], than: runs[$1]) }) else { return nil }
        uncertainty = Self.uncertainty(of: runs[anchor])
        func offset(_ look: RecordingClock.WallTime) -> Double { look.wall - base - look.at }
        // Before each run; none before the first.
        let steps = runs.indices.map { index in
            index == 0 ? 0 : offset(runs[index][0]) - offset(runs[index - 1][runs[index - 1].count - 1])
        }
        step = steps.max { abs($0) < abs($1) } ?? 0
        // Steps are taken out on the way from the anchor.
        var corrections = [Double](repeating: 0, count: runs.count)
        for index in runs.indices where index > anchor {
            corrections[index] = corrections[index - 1] - steps[index]
        }
        for index in runs.indices.reversed() where index < anchor {
            corrections[index] = corrections[index + 1] + steps[index + 1]
        }
        let bends = runs.indices.flatMap { index in
            runs[index].map { Bend(at: $0.at, offset: offset($0) + corrections[index]) }
        }
        let (least, most) = (bends.map(\.offset).min() ?? 0, bends.map(\.offset).max() ?? 0)
        let isStill = most - least <= 2 * min(Self.stillness, uncertainty ?? Self.stillness)
        self.bends = isStill ? [Bend(at: bends[0].at, offset: (least + most) / 2)] : bends
    }

    func wall(at time: Double) -> Double {
        time + Self.between(bends, time, \.at) { $0.offset }
    }

    /// When the wall clock says so.
    func time(atWall wall: Double) -> Double {
        wall - Self.between(bends, wall, \.wall) { $0.offset }
    }

    /// The value at a place, on the line from one bend to the next.
    private static func between(
        _ bends: [Bend], _ place: Double, _ key: (Bend) -> Double, _ value: (Bend) -> Double
    ) -> Double {
        var (low, high) = (0, bends.count)
        while low < high {
            let middle = (low + high) / 2
            if key(bends[middle]) <= place { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return value(bends[0]) }
        guard low < bends.count else { return value(bends[bends.count - 1]) }
        let (a, b) = (bends[low - 1], bends[low])
        return value(a) + (value(b) - value(a)) * (place - key(a)) / (key(b) - key(a))
    }

    // MARK: Which looks are believed

    /// Those that are far enough from each other; the last one rather than the one before.
    private static func apart(_ looks: [RecordingClock.WallTime]) -> [RecordingClock.WallTime] {
        var kept: [RecordingClock.WallTime] = []
        for look in looks where kept.last.map({ look.at - $0.at >= leastDistance }) ?? true { kept.append(look) }
        if let last = looks.last, kept.count > 1, kept.last?.at != last.at { kept[kept.count - 1] = last }
        return kept
    }

    /// Parted where the clock was set.
    private static func runs(of looks: [RecordingClock.WallTime]) -> [[RecordingClock.WallTime]] {
        var runs: [[RecordingClock.WallTime]] = []
        for look in looks {
            if let last = runs.last?.last {
                let change = (look.wall - look.at) - (last.wall - last.at)
                if abs(change) <= greatestRate * (look.at - last.at) + readingError {
                    runs[runs.count - 1].append(look)
                    continue
                }
            }
            runs.append([look])
        }
        return runs
    }

    private static func isBetter(_ one: [RecordingClock.WallTime], than other: [RecordingClock.WallTime]) -> Bool {
        let (a, b) = (uncertainty(of: one) ?? .infinity, uncertainty(of: other) ?? .infinity)
        return a == b ? one.count > other.count : a < b
    }

    private static func uncertainty(of looks: [RecordingClock.WallTime]) -> Double? {
        let known = looks.compactMap(\.uncertainty).filter { $0 >= 0 }
        return known.count == looks.count ? known.max() : nil
    }
}

extension RecordingClock.WallTime {
    /// Not before 1970, and no further away than any machine runs.
    fileprivate var isPossible: Bool {
        at.isFinite && wall.isFinite && at.magnitude < 1e10 && (0..<1e11).contains(wall)
    }
}
