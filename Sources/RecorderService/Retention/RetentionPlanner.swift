import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// Which finished recordings go, the oldest first, and why. A pure value.
///
/// The order is that in which they were finished, not that of their dates. The newest one goes only for its age: no size
/// and no full disk deletes what was recorded last. Recordings are read one after the other, and only as far as something
/// goes: ages never grow along the order, and what is in all only shrinks. What is held until it is copied stays where it
/// is, and is counted.
package struct RetentionPlanner: Sendable {
    /// An entry, looked at.
    struct Candidate: Sendable, Hashable {
        let recording: FinishedRecording
        /// The file system that it is on: deleting it helps no other one.
        let fileSystem: UInt64
        /// It still is the file that was entered. What is not is in the total, but cannot go.
        var isThere = true
        /// A copy of it was verified at the remote that the rules name.
        var isCopied = false
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

    package struct Removal: Sendable, Hashable, Encodable {
        package let path: String
        package let size: Int64
        /// "older than 30d"
        package let reason: String
        /// The rules wanted a copy first, and the disk is full.
        var isOnlyOne = false

        let recording: FinishedRecording

        private enum CodingKeys: CodingKey { case path, size, reason }
    }

    package let rules: RetentionRules

    package init(_ rules: RetentionRules) { self.rules = rules }

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
                    guard !isHeld(candidate) else { continue }
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
            func makeRoom(ofHeld: Bool) {
                for candidate in fileSystem(system) {
                    guard left < least else { break }
                    let number = candidate.recording.number
                    guard candidate.isThere, candidate.fileSystem == system, number != stock.newest,
                        isHeld(candidate) == ofHeld, going.insert(number).inserted
                    else { continue }
                    left = Self.sum(left, max(0, candidate.recording.identity.size))
                    var removal = candidate.recording.removal(
                        "less than \(QuantityText.sizeWithUnit(least)) free" + (ofHeld ? ", and no copy yet" : ""))
                    removal.isOnlyOne = ofHeld
                    removals.append(removal)
                }
            }
            makeRoom(ofHeld: false)
            // What is copied goes first, whatever its age.
            if rules.hold?.kind == .unlessFull { makeRoom(ofHeld: true) }
        }
        return removals.sorted { $0.recording.number < $1.recording.number }
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    /// It stays until it is copied.
    private func isHeld(_ candidate: Candidate) -> Bool { rules.hold != nil && !candidate.isCopied }

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

extension RetentionAccount.Removal {
    init(_ removal: RetentionPlanner.Removal) {
        self.init(file: removal.path, bytes: removal.size, reason: removal.reason)
    }
}

extension OutputLocation {
    /// What a recording's retention is confined to: the output's directory, in front of the pattern's first field.
    ///
    /// - Returns: nil for an output that means nothing.
    package static func retentionDirectory(
        _ configuration: RecordingConfiguration,
        workingDirectory: String = ProcessText.workingDirectory
    ) -> String? {
        guard let place = try? expand(configuration, workingDirectory: workingDirectory) else { return nil }
        return place.root ?? (place.path as NSString).deletingLastPathComponent
    }
}
