/// Decides how many workers may run while recorders of this machine record. A pure value that does not access recorders
/// itself.
///
/// Workers have the lowest priority, so recordings get the CPU first. But workers share memory and caches with
/// recorders, and may still slow them down. Therefore the recorders' own counters decide. Each time a recorder reduces
/// its encoder's effort or drops samples, half of the running workers are stopped. After a time without such strain,
/// one more worker continues. That time doubles, up to a minute, if a recorder is under strain again soon. So an
/// archive makes progress while recorders record around the clock, without affecting the recordings.
package struct WorkerAllowance: Sendable {
    /// The state that a recorder reports.
    package struct Reading: Sendable, Hashable {
        package let name: String
        /// The number of frames that were dropped or encoded with reduced effort, plus the number of lost audio frames.
        /// It never decreases during a recording. nil if the recorder does not respond.
        package let strain: Int64?

        package init(name: String, strain: Int64?) { (self.name, self.strain) = (name, strain) }
    }

    private static let shortestQuiet: Int64 = 5_000_000_000
    private static let longestQuiet: Int64 = 60_000_000_000

    private let most: Int
    /// The number of workers that may run now.
    package private(set) var workers: Int
    /// The recorder for which workers were stopped; nil while all workers may run.
    package private(set) var strained: String?
    private var known: [String: Int64] = [:]
    private var quiet = WorkerAllowance.shortestQuiet
    /// The time at which a recorder was last under strain. `lastIncrease` is the time at which a worker last continued.
    private var lastStrain: Int64 = .min
    private var lastIncrease: Int64 = .min

    package init(most: Int) { (self.most, workers) = (max(1, most), max(1, most)) }

    /// Records the recorders' states.
    ///
    /// - Parameter now: Nanoseconds of a monotonic clock.
    package mutating func record(_ readings: [Reading], at now: Int64) {
        if let name = newlyStrained(readings) {
            yield(to: name, at: now)
        } else if workers < most, now - max(lastStrain, lastIncrease) >= quiet {
            workers += 1
            lastIncrease = now
            if workers == most { strained = nil }
        }
        if workers == most, now - max(0, lastStrain) >= 10 * Self.longestQuiet { quiet = Self.shortestQuiet }
    }

    /// Returns the first recorder whose counter has grown since the last reading.
    private mutating func newlyStrained(_ readings: [Reading]) -> String? {
        var found: String?
        for reading in readings {
            guard let strain = reading.strain else {
                // A recorder that responded before but does not respond now is treated as overloaded.
                if known[reading.name] != nil { found = found ?? reading.name }
                continue
            }
            // A lower count is not strain, because a new recording counts from 0.
            if let before = known[reading.name], strain > before { found = found ?? reading.name }
            known[reading.name] = strain
        }
        let names = Set(readings.map(\.name))
        known = known.filter { names.contains($0.key) }
        return found
    }

    private mutating func yield(to name: String, at now: Int64) {
        // If a recorder is under strain again soon after a worker continued, the wait was too short.
        if lastIncrease > lastStrain, now - lastIncrease < 2 * quiet { quiet = min(2 * quiet, Self.longestQuiet) }
        (workers, strained, lastStrain) = (workers / 2, name, now)
    }
}
