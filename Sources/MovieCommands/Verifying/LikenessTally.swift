import CommandInterface

/// What the pictures that were looked at come to. A pure value.
struct LikenessTally {
    private(set) var count = 0
    private var sum = 0.0
    private(set) var worst = 2.0
    /// Seconds.
    private(set) var worstAt = 0.0
    /// How much more a picture is like the source's one before, or behind, than like its own; of those that have both.
    private var neighbours = 0
    private var before = 0.0
    private var after = 0.0
    /// So much more on average, and no coding makes it: pictures that are their own are always more like their own, however coarse
    /// (docs/decisions/verifying.md).
    private static let shift = 0.002

    var mean: Double { count > 0 ? sum / Double(count) : 0 }

    /// - Parameters:
    ///   - value: how like the copy's picture is to the source's.
    ///   - before: and to the source's one before; nil at the ends.
    mutating func add(_ value: Double, before: Double?, after: Double?, at seconds: Double) {
        sum += value
        count += 1
        if value < worst { (worst, worstAt) = (value, seconds) }
        guard let before, let after else { return }
        neighbours += 1
        self.before += before - value
        self.after += after - value
    }

    func differences(track: Int, _ options: FilmComparisonOptions) -> [FilmComparison.Difference] {
        var found: [FilmComparison.Difference] = []
        if mean < options.likeness {
            found.append(
                .init(
                    .likeness,
                    "its pictures are not those of its source: likeness \(NumberText.fixed(mean, places: 3)) on average, "
                        + "and \(NumberText.fixed(options.likeness, places: 3)) is the least", track: track,
                    from: worstAt))
        } else if worst < options.likeness - options.slack {
            found.append(
                .init(
                    .likeness, "a picture is not that of its source: likeness \(NumberText.fixed(worst, places: 3))",
                    track: track, from: worstAt))
        }
        if let late = shiftIsLate {
            found.append(
                .init(
                    .likeness, "its pictures are those of one picture \(late ? "earlier" : "later") in its source",
                    track: track))
        }
        return found
    }

    /// Whether each picture is that of one before; nil where it is its own.
    private var shiftIsLate: Bool? {
        guard neighbours >= 5 else { return nil }
        let bound = Self.shift * Double(neighbours)
        return max(before, after) > bound ? before > after : nil
    }
}
