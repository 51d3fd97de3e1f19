import MediaTypes

/// The wall clock of one machine at any time of a boot, interpolated from the readings that its recordings took. A pure
/// value; all times are seconds.
///
/// Between two readings, the wall clock is assumed to run evenly. Before the first and after the last reading, it is
/// assumed to run as fast as the machine's clock. If it moved faster than a clock can drift, it was set. Then only the
/// times on one side of the step are trusted: the side with the better accuracy, else the longer one, else the first.
/// The readings of the other sides only provide the rate. docs/design/decisions/time.md justifies the numbers.
struct WallLine: Equatable {
    /// A point where the line bends: a time of the machine's clock, and its offset to the wall clock.
    struct Bend: Equatable {
        var at: Double
        var offset: Double

        var wall: Double { at + offset }
    }

    /// The maximum relative drift: 500 ppm, which is also the kernel's limit (Linux, `MAXFREQ`).
    static let greatestRate = 500e-6
    /// The maximum error of a reading, in seconds: the thread may have to wait for a CPU between the two clocks.
    static let readingError = 0.001
    /// The minimum seconds between readings from which a rate is derived.
    static let leastDistance = 10.0
    /// The minimum variation of the offset, in seconds, that counts as drift. A smaller one is the error of the
    /// readings.
    static let stillness = 0.0001

    /// The bends, at least one. Their times increase on both clocks.
    let bends: [Bend]
    /// The largest error that the system reported, in seconds; nil if unknown.
    let uncertainty: Double?
    /// The largest step by which the clock was set, in seconds; 0 if it was never set.
    let step: Double

    /// Creates the clock; nil without any plausible reading.
    ///
    /// - Parameter base: A value subtracted from all wall clock times, to keep the numbers small.
    init?(_ looks: [RecordingClock.WallTime], base: Double = 0) {
        let runs = Self.runs(of: Self.apart(looks.filter(\.isPossible).sorted { $0.at < $1.at }))
        guard let anchor = runs.indices.min(by: { Self.isBetter(runs[$0], than: runs[$1]) }) else { return nil }
        uncertainty = Self.uncertainty(of: runs[anchor])
        func offset(_ look: RecordingClock.WallTime) -> Double { look.wall - base - look.at }
        // The step of the wall clock before each run; 0 for the first run.
        let steps = runs.indices.map { index in
            index == 0 ? 0 : offset(runs[index][0]) - offset(runs[index - 1][runs[index - 1].count - 1])
        }
        step = steps.max { abs($0) < abs($1) } ?? 0
        // Remove the steps, outward from the anchor.
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

    /// Returns the machine's time at which the wall clock shows `wall`.
    func time(atWall wall: Double) -> Double {
        wall - Self.between(bends, wall, \.wall) { $0.offset }
    }

    /// Returns the value at `place`, interpolated between the bends before and after it. `key` returns the position of
    /// a bend.
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

    // MARK: Trusted readings

    /// Returns readings at least `leastDistance` apart. The last reading replaces the one before it if they are too
    /// close.
    private static func apart(_ looks: [RecordingClock.WallTime]) -> [RecordingClock.WallTime] {
        var kept: [RecordingClock.WallTime] = []
        for look in looks where kept.last.map({ look.at - $0.at >= leastDistance }) ?? true { kept.append(look) }
        if let last = looks.last, kept.count > 1, kept.last?.at != last.at { kept[kept.count - 1] = last }
        return kept
    }

    /// Splits the readings where the clock was set.
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
    /// True if the reading is not before 1970, and not beyond the life of any machine.
    fileprivate var isPossible: Bool {
        at.isFinite && wall.isFinite && at.magnitude < 1e10 && (0..<1e11).contains(wall)
    }
}
