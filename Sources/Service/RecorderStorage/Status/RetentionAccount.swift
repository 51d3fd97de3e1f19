package import MediaTypes

/// The planned and actual deletions of a process: a part of the status.
package struct RetentionAccount: Codable, Sendable, Equatable {
    package struct Removal: Codable, Sendable, Equatable {
        package var file: String
        package var bytes: Int64
        /// The rule, e.g. "older than 30d".
        package var reason: String
    }

    package struct Removals: Codable, Sendable, Equatable {
        package var files = 0
        package var bytes: Int64 = 0
        /// Some of the removals, at most twenty, to limit the memory. The log lists all of them.
        package var named: [Removal] = []
    }

    /// The directory of the recordings that the rules apply to; null if they apply in all directories.
    @OrNull package var directory: String?
    /// The files that were due for deletion when the process began; `named` lists the first of them. null until they
    /// are known.
    @OrNull package var planned: Removals?
    /// The files that this process has deleted; `named` lists the last of them.
    package var removed = Removals()
    /// The last error; null without one.
    @OrNull package var error: String?

    private static let mostNamed = 20

    init(directory: String?) { self.directory = directory }

    /// Sets the plan. Files that were deleted while the plan was being made count as planned too.
    mutating func plan(_ removals: [Removal]) {
        var planned = removed
        planned.count(removals)
        planned.named = Array((removed.named + removals).prefix(Self.mostNamed))
        self.planned = planned
    }

    mutating func record(_ removals: [Removal]) {
        removed.count(removals)
        removed.named += removals.suffix(Self.mostNamed)
        removed.named.removeFirst(max(0, removed.named.count - Self.mostNamed))
    }
}

extension RetentionAccount.Removals {
    fileprivate mutating func count(_ removals: [RetentionAccount.Removal]) {
        files += removals.count
        bytes = removals.reduce(bytes) { $0 &+ max(0, $1.bytes) }
    }
}
