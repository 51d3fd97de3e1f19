package import MediaTypes

/// What the retention of a process was to do at its start, and what it has done since: part of the status.
package struct RetentionAccount: Codable, Sendable, Equatable {
    package struct Removal: Codable, Sendable, Equatable {
        package var file: String
        package var bytes: Int64
        /// "older than 30d"
        package var reason: String
    }

    package struct Removals: Codable, Sendable, Equatable {
        package var files = 0
        package var bytes: Int64 = 0
        /// Twenty of them at most: a year of it is in the log, not in memory.
        package var named: [Removal] = []
    }

    /// Where the recordings are that the rules are about; null: wherever they are.
    @OrNull package var directory: String?
    /// What the rules no longer kept when the process began, the first of it named; null while that is being looked at.
    @OrNull package var planned: Removals?
    /// What went since, the last of it named.
    package var removed = Removals()
    /// Why something could not be looked at or deleted; null while all is well.
    @OrNull package var error: String?

    private static let mostNamed = 20

    init(directory: String?) { self.directory = directory }

    /// What went already, before there was time to look at everything, was to go too.
    mutating func plan(_ removals: [Removal]) {
        var planned = removed
        planned.count(removals)
        planned.named = Array((removed.named + removals).prefix(Self.mostNamed))
        self.planned = planned
    }

    mutating func note(_ removals: [Removal]) {
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
