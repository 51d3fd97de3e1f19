import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// Decides which finished recordings to delete, the oldest first, and why. A pure value.
///
/// The order is the order in which the recordings were finished, not the order of their dates. The newest recording is
/// deleted only because of its age, never because of a size or a full disk. Recordings are read one by one, up to the
/// first that the rules keep. Reading may stop there, because ages never increase along the order, and the total size
/// only decreases. Recordings that are held until they are copied are not deleted, but count toward the total size.
/// Recordings that the owner keeps are not deleted and do not count, so that no other recording is deleted because of
/// them. A recording whose file has another hard link is not deleted for free space, because that would free nothing.
package struct RetentionPlanner: Sendable {
    /// An entry with the state of its file.
    struct Candidate: Sendable, Hashable {
        let recording: FinishedRecording
        /// The number of the file's file system. Deleting the file frees space only on that file system.
        let fileSystem: UInt64
        /// True if the file has not changed since it was entered. A missing or changed file is part of the total, but
        /// cannot be deleted.
        var isThere = true
        /// True if a copy on the rules' remote was verified.
        var isCopied = false
        /// True if the owner keeps the recording, or if that cannot be determined.
        var isKept = false
        /// True if the file has another hard link, so that deleting it frees no space.
        var isLinked = false
    }

    /// The state before anything is deleted.
    struct Stock: Sendable {
        /// The total size in bytes of all files that the catalogue does not list as kept.
        var total: Int64
        /// The number of the newest existing recording.
        var newest: Int64?
        /// Free bytes of each file system.
        var free: [UInt64: Int64] = [:]
    }

    package struct Removal: Sendable, Hashable, Encodable {
        package let path: String
        package let size: Int64
        /// The rule, e.g. "older than 30d".
        package let reason: String
        /// True if the recording is deleted without a copy: the rules require a copy on the remote first, but the disk
        /// is full.
        var isOnlyOne = false
        /// The file system on which the deletion is to free space; nil if another rule requires the deletion.
        var freesSpaceOn: UInt64?

        let recording: FinishedRecording

        private enum CodingKeys: CodingKey { case path, size, reason }
    }

    /// The recordings to delete.
    struct Plan: Sendable {
        var removals: [Removal] = []
        /// The number of recordings with other hard links on each file system that stays too full without deleting
        /// them. They are not deleted for space.
        var linked: [UInt64: Int] = [:]
    }

    package let rules: RetentionRules

    package init(_ rules: RetentionRules) { self.rules = rules }

    /// Returns the recordings to delete.
    ///
    /// - Parameters:
    ///   - candidates: All candidates, the oldest first.
    ///   - fileSystem: Returns the candidates on one file system, the oldest first.
    ///   - ages: The ages of these candidates.
    func plan<Part: Sequence<Candidate>>(
        of candidates: some Sequence<Candidate>, on fileSystem: (UInt64) -> Part, stock: Stock, ages: RetentionAges
    ) -> Plan {
        var removals: [Removal] = []
        var free = stock.free
        var (total, ages) = (stock.total, ages)
        if rules.age != nil || rules.totalSize != nil {
            for candidate in candidates {
                let size = max(0, candidate.recording.identity.size)
                if candidate.isThere {
                    guard let reason = reason(candidate, total: total, stock, &ages) else { break }
                    guard !candidate.isKept else {
                        // The sidecar is newer than the entry, so the total still includes the size of this file.
                        if candidate.recording.pin == nil { total = max(0, total - size) }
                        continue
                    }
                    guard !isHeld(candidate) else { continue }
                    removals.append(candidate.recording.removal(reason))
                    if !candidate.isLinked, let left = free[candidate.fileSystem] {
                        free[candidate.fileSystem] = Self.sum(left, size)
                    }
                }
                total = max(0, total - size)
            }
        }
        guard let least = rules.freeSpace else { return Plan(removals: removals) }
        var linked: [UInt64: Int] = [:]
        var going = Set(removals.map(\.recording.number))
        for (system, left) in free.sorted(by: { $0.key < $1.key }) where left < least {
            var left = left
            var linkedHere = 0
            func makeRoom(ofHeld: Bool) {
                for candidate in fileSystem(system) {
                    guard left < least else { break }
                    let number = candidate.recording.number
                    guard candidate.isThere, !candidate.isKept, candidate.fileSystem == system, number != stock.newest,
                        isHeld(candidate) == ofHeld, going.insert(number).inserted
                    else { continue }
                    guard !candidate.isLinked else {
                        linkedHere += 1
                        continue
                    }
                    left = Self.sum(left, max(0, candidate.recording.identity.size))
                    var removal = candidate.recording.removal(
                        "less than \(QuantityText.sizeWithUnit(least)) free" + (ofHeld ? ", not copied yet" : ""))
                    removal.isOnlyOne = ofHeld
                    removal.freesSpaceOn = system
                    removals.append(removal)
                }
            }
            makeRoom(ofHeld: false)
            // Copied recordings are deleted first, whatever their age.
            if rules.hold?.kind == .unlessFull { makeRoom(ofHeld: true) }
            if left < least, linkedHere > 0 { linked[system] = linkedHere }
        }
        return Plan(removals: removals.sorted { $0.recording.number < $1.recording.number }, linked: linked)
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    /// Returns true if the recording is kept until it is copied.
    private func isHeld(_ candidate: Candidate) -> Bool { rules.hold != nil && !candidate.isCopied }

    /// Returns why a recording is deleted; nil if this recording and all later ones are kept.
    private func reason(
        _ candidate: Candidate, total: Int64, _ stock: Stock, _ ages: inout RetentionAges
    ) -> String? {
        if let age = rules.age, ages.age(candidate.recording) > age.seconds {
            return "older than \(DurationText.text(age))"
        }
        if let most = rules.totalSize, total > most, candidate.recording.number != stock.newest {
            return "more than \(QuantityText.sizeWithUnit(most)) in total"
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
    /// Returns the directory to which a recording's retention is limited: the part of the output's path before the
    /// pattern's first field.
    ///
    /// - Returns: nil for an invalid output.
    package static func retentionDirectory(
        _ configuration: RecordingConfiguration,
        workingDirectory: String = ProcessText.workingDirectory
    ) -> String? {
        guard let place = try? expand(configuration, workingDirectory: workingDirectory) else { return nil }
        return place.root ?? place.path.parentDirectory
    }

    /// Returns the path of a file's other mirrored file: the same path below the other directory.
    ///
    /// - Returns: nil without a mirror, and for a file that is not below `directory`.
    static func counterpart(of path: String, below directory: String?, on other: String?) -> String? {
        guard let directory, let other else { return nil }
        let base = directory.hasSuffix("/") ? directory : directory + "/"
        guard path.hasPrefix(base) else { return nil }
        return other.appendingComponent(String(path.dropFirst(base.count)))
    }
}
