/// What the retention of a process was to do at its start, and what it has done since: part of the status.
public struct RetentionAccount: Codable, Sendable, Equatable {
    public struct Removal: Codable, Sendable, Equatable {
        public var file: String
        public var bytes: Int64
        /// "older than 30d"
        public var reason: String
    }

    public struct Removals: Codable, Sendable, Equatable {
        public var files = 0
        public var bytes: Int64 = 0
        /// Twenty of them at most: a year of it is in the log, not in memory.
        public var named: [Removal] = []
    }

    /// Where the recordings are that the rules are about; null: wherever they are.
    @OrNull public var directory: String?
    /// What the rules no longer kept when the process began, the first of it named; null while that is being looked at.
    @OrNull public var planned: Removals?
    /// What went since, the last of it named.
    public var removed = Removals()
    /// Why something could not be looked at or deleted; null while all is well.
    @OrNull public var error: String?

    private static let mostNamed = 20

    init(directory: String?) { self.directory = directory }

    mutating func plan(_ removals: [RetentionPlanner.Removal]) {
        var planned = Removals()
        planned.count(removals)
        planned.named = removals.prefix(Self.mostNamed).map(Removal.init)
        self.planned = planned
    }

    mutating func note(_ removals: [RetentionPlanner.Removal]) {
        removed.count(removals)
        removed.named += removals.suffix(Self.mostNamed).map(Removal.init)
        removed.named.removeFirst(max(0, removed.named.count - Self.mostNamed))
    }
}

extension RetentionAccount.Removals {
    fileprivate mutating func count(_ removals: [RetentionPlanner.Removal]) {
        files += removals.count
        bytes = removals.reduce(bytes) { $0 &+ max(0, $1.size) }
    }
}

extension RetentionAccount.Removal {
    fileprivate init(_ removal: RetentionPlanner.Removal) {
        self.init(file: removal.path, bytes: removal.size, reason: removal.reason)
    }
}
