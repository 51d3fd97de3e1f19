import MediaTypes

/// Which finished recordings go, the oldest first, and why. A pure value.
///
/// The order is that in which they were finished, not that of their dates. The newest one goes only for its age: no size
/// and no full disk deletes what was recorded last. Recordings are read one after the other, and only as far as something
/// goes: ages never grow along the order, and what is in all only shrinks.
public struct RetentionPlanner: Sendable {
    /// An entry, looked at.
    struct Candidate: Sendable, Hashable {
        let recording: FinishedRecording
        /// The file system that it is on: deleting it helps no other one.
        let fileSystem: UInt64
        /// It still is the file that was entered. What is not is in the total, but cannot go.
        var isThere = true
    }

    /// What is there before anything goes.
    struct Stock: Sendable {
        /// Bytes.
        var total: Int64
        /// The number of the newest that is there.
        var newest: Int64?
        /// Bytes that each file system has left.
        var free: [UInt64: Int64] = [:]
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
    ///   - candidates: all, the oldest first.
    ///   - fileSystem: those that are on one, the oldest first.
    ///   - ages: of these candidates.
    func removals<Part: Sequence<Candidate>>(
        of candidates: some Sequence<Candidate>, on fileSystem: (UInt64) -> Part, stock: Stock, ages: RetentionAges
    ) -> [Removal] {
        var removals: [Removal] = []
        var free = stock.free
        var (total, ages) = (stock.total, ages)
        if rules.age != nil || rules.totalSize != nil {
            for candidate in candidates {
                let size = max(0, candidate.recording.identity.size)
                if candidate.isThere {
                    guard let reason = reason(candidate, total: total, stock, &ages) else { break }
                    removals.append(candidate.recording.removal(reason))
                    if let left = free[candidate.fileSystem] {
                        free[candidate.fileSystem] = Self.sum(left, size)
                    }
                }
                total = max(0, total - size)
            }
        }
        guard let least = rules.freeSpace else { return removals }
        var going = Set(removals.map(\.recording.number))
        for (system, left) in free.sorted(by: { $0.key < $1.key }) where left < least {
            var left = left
            for candidate in fileSystem(system) {
                guard left < least else { break }
                let number = candidate.recording.number
                guard candidate.isThere, candidate.fileSystem == system, number != stock.newest,
                    going.insert(number).inserted
                else { continue }
                left = Self.sum(left, max(0, candidate.recording.identity.size))
                removals.append(candidate.recording.removal("less than \(QuantityText.sizeWithUnit(least)) free"))
            }
        }
        return removals.sorted { $0.recording.number < $1.recording.number }
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    /// nil: it stays, and so does everything after it.
    private func reason(
        _ candidate: Candidate, total: Int64, _ stock: Stock, _ ages: inout RetentionAges
    ) -> String? {
        if let age = rules.age, ages.age(candidate.recording) > age.seconds {
            return "older than \(DurationText.text(age))"
        }
        if let most = rules.totalSize, total > most, candidate.recording.number != stock.newest {
            return "more than \(QuantityText.sizeWithUnit(most)) in all"
        }
        return nil
    }
}

extension FinishedRecording {
    fileprivate func removal(_ reason: String) -> RetentionPlanner.Removal {
        RetentionPlanner.Removal(path: path, size: identity.size, reason: reason, recording: self)
    }
}
