import MediaTypes

/// Which finished recordings go, the oldest first, and why. A pure value.
///
/// The order is that in which they were finished, not that of their dates. The newest one goes only for its age: no size
/// and no full disk deletes what was recorded last.
public struct RetentionPlanner: Sendable {
    /// A recording that is still there.
    public struct Candidate: Sendable, Hashable {
        public let recording: FinishedRecording
        /// The file system that it is on: deleting it helps no other one.
        public let fileSystem: UInt64

        public init(_ recording: FinishedRecording, fileSystem: UInt64) {
            self.recording = recording
            self.fileSystem = fileSystem
        }
    }

    public struct Removal: Sendable, Hashable, Encodable {
        public let path: String
        public let size: Int64
        /// "older than 30d"
        public let reason: String

        let recording: FinishedRecording

        private enum CodingKeys: CodingKey { case path, size, reason }
    }

    public let rules: RetentionRules

    public init(_ rules: RetentionRules) { self.rules = rules }

    /// - Parameters:
    ///   - candidates: the oldest first.
    ///   - free: bytes that each file system has left.
    ///   - moment: now, by both clocks.
    ///   - now: the time to go by, from `RetentionClock`.
    public func removals(
        of candidates: [Candidate], free: [UInt64: Int64], at moment: Moment, now: Double
    ) -> [Removal] {
        let ages = Self.ages(candidates.map(\.recording.moment), at: moment, now: now)
        var total = candidates.reduce(Int64(0)) { Self.sum($0, $1.recording.identity.size) }
        var free = free
        var removals: [Removal] = []
        for (index, candidate) in candidates.enumerated() {
            let size = candidate.recording.identity.size
            let isNewest = index == candidates.count - 1
            let left = free[candidate.fileSystem]
            let reason: String
            if let age = rules.age, ages[index] > age.seconds {
                reason = "older than \(DurationText.text(age))"
            } else if let most = rules.totalSize, total > most, !isNewest {
                reason = "more than \(QuantityText.text(most)) in all"
            } else if let least = rules.freeSpace, let left, left < least, !isNewest {
                reason = "less than \(QuantityText.text(least)) free"
            } else {
                continue
            }
            total -= size
            if let left { free[candidate.fileSystem] = Self.sum(left, size) }
            removals.append(
                Removal(
                    path: candidate.recording.path, size: size, reason: reason, recording: candidate.recording))
        }
        return removals
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(max(0, b))
        return overflow ? .max : sum
    }

    /// How old each is at least, in seconds.
    ///
    /// Those of this boot are as old as its clock says. Of the others the date counts, if it can be one, and as far as
    /// the order agrees: none is older than one that was finished before it. One whose date is none, because the
    /// clock had not been set then, is as old as the next one after it.
    static func ages(_ moments: [Moment], at moment: Moment, now: Double) -> [Double] {
        var known = moments.map { finished -> Double? in
            if finished.boot == moment.boot { return max(0, moment.uptime - finished.uptime) }
            return (firstPlausibleDate...now).contains(finished.wall) ? now - finished.wall : nil
        }
        var oldest = Double.infinity
        for index in known.indices {
            guard let age = known[index] else { continue }
            oldest = min(oldest, age)
            known[index] = oldest
        }
        var next = 0.0
        for index in known.indices.reversed() {
            next = known[index] ?? next
            known[index] = next
        }
        return known.map { $0 ?? 0 }
    }

    /// 2025: before this program was written.
    private static let firstPlausibleDate = 1_735_689_600.0
}
