/// How many workers may compute beside the recordings of this machine: a pure value that knows no recorder.
///
/// Workers have the lowest priority, and recordings get the processor before them. Memory and caches are shared all the same, and so the
/// recorders' own counters decide: once a recorder eases its encoder or drops something, half of the workers stop, at last all. After a
/// quiet time one more may go on; that time doubles when the recorder is strained again soon, up to a minute. So an archive makes
/// progress beside recorders that record around the clock, and no recording pays for it.
package struct WorkerAllowance: Sendable {
    /// What a recorder says of itself.
    package struct Reading: Sendable, Hashable {
        package let name: String
        /// Frames that were eased or dropped, blocks of audio that were lost: a counter that only grows; nil: it does not answer.
        package let strain: Int64?

        package init(name: String, strain: Int64?) { (self.name, self.strain) = (name, strain) }
    }

    private static let shortestQuiet: Int64 = 5_000_000_000
    private static let longestQuiet: Int64 = 60_000_000_000

    private let most: Int
    /// How many may compute.
    package private(set) var workers: Int
    /// The recorder for which workers stand still; nil while all may compute.
    package private(set) var strained: String?
    private var known: [String: Int64] = [:]
    private var quiet = WorkerAllowance.shortestQuiet
    /// When a recorder was strained last, and when a worker was let go on last.
    private var lastStrain: Int64 = .min
    private var lastIncrease: Int64 = .min

    package init(most: Int) { (self.most, workers) = (max(1, most), max(1, most)) }

    /// - Parameter now: of a clock that only goes forward, in nanoseconds.
    package mutating func note(_ readings: [Reading], at now: Int64) {
        if let name = newlyStrained(readings) {
            yield(to: name, at: now)
        } else if workers < most, now - max(lastStrain, lastIncrease) >= quiet {
            workers += 1
            lastIncrease = now
            if workers == most { strained = nil }
        }
        if workers == most, now - max(0, lastStrain) >= 10 * Self.longestQuiet { quiet = Self.shortestQuiet }
    }

    /// The first recorder whose counter has grown since it was read last.
    private mutating func newlyStrained(_ readings: [Reading]) -> String? {
        var found: String?
        for reading in readings {
            guard let strain = reading.strain else {
                // One that answered before and does not now has no time to.
                if known[reading.name] != nil { found = found ?? reading.name }
                continue
            }
            // A new recording counts from 0 on.
            if let before = known[reading.name], strain > before { found = found ?? reading.name }
            known[reading.name] = strain
        }
        let names = Set(readings.map(\.name))
        known = known.filter { names.contains($0.key) }
        return found
    }

    private mutating func yield(to name: String, at now: Int64) {
        // Strained again soon after a worker was let go on: that was too early.
        if lastIncrease > lastStrain, now - lastIncrease < 2 * quiet { quiet = min(2 * quiet, Self.longestQuiet) }
        (workers, strained, lastStrain) = (workers / 2, name, now)
    }
}
