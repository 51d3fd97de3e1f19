import CommandInterface

/// The statistics of the compared frames. A pure value.
struct SSIMTally {
    private(set) var count = 0
    private var sum = 0.0
    private(set) var worst = 2.0
    /// The position of the worst frame, in seconds.
    private(set) var worstAt = 0.0
    /// The number of compared frames with two neighbors. `before` is a sum over these frames: by how much each is more
    /// similar to the source's previous frame than to its own original. `after` is the same for the next frame.
    private var neighbours = 0
    private var before = 0.0
    private var after = 0.0
    /// The mean difference above which frames count as shifted. Coding alone does not cause it: however coarsely a
    /// frame is coded, it is most similar to its own original (docs/design/decisions/verifying.md).
    private static let shift = 0.002

    var mean: Double { count > 0 ? sum / Double(count) : 0 }

    /// Adds a compared frame.
    ///
    /// - Parameters:
    ///   - value: The similarity of the copy's frame to the source's.
    ///   - before: The similarity to the source's previous frame, and `after` to its next frame; nil at the source's
    ///     ends.
    mutating func add(_ value: Double, before: Double?, after: Double?, at seconds: Double) {
        sum += value
        count += 1
        if value < worst { (worst, worstAt) = (value, seconds) }
        guard let before, let after else { return }
        neighbours += 1
        self.before += before - value
        self.after += after - value
    }

    func differences(track: Int, _ options: MovieComparisonOptions) -> [MovieComparison.Difference] {
        var found: [MovieComparison.Difference] = []
        if mean < options.minimumSSIM {
            found.append(
                .init(
                    .ssim,
                    "its frames do not look like the source's: mean SSIM \(NumberText.fixed(mean, places: 3)), "
                        + "at least \(NumberText.fixed(options.minimumSSIM, places: 3)) is required", track: track,
                    from: worstAt))
        } else if worst < options.minimumSSIM - options.slack {
            found.append(
                .init(
                    .ssim, "a frame does not look like the source's: SSIM \(NumberText.fixed(worst, places: 3))",
                    track: track, from: worstAt))
        }
        if let late = shiftIsLate {
            found.append(
                .init(
                    .ssim, "each of its frames shows the \(late ? "previous" : "next") frame of the source",
                    track: track))
        }
        return found
    }

    /// True if each frame of the copy shows the source's previous frame, false if it shows the next one; nil if frames
    /// are not shifted.
    private var shiftIsLate: Bool? {
        guard neighbours >= 5 else { return nil }
        let bound = Self.shift * Double(neighbours)
        return max(before, after) > bound ? before > after : nil
    }
}
