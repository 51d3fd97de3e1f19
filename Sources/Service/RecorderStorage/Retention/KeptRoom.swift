import CommandInterface

/// The room that kept recordings leave on one file system. A pure value.
struct KeptRoom: Sendable, Hashable {
    let mount: String
    /// Bytes of the kept recordings.
    var kept: Int64 = 0
    /// Bytes of the recordings that retention may delete.
    var deletable: Int64 = 0

    init(mount: String) { self.mount = mount }

    /// Returns a warning if too little room is left for new recordings: less than the reserve above the reserve, at
    /// which a recording ends. Without rules nothing is deleted, so only free space is room.
    ///
    /// - Parameter free: The free bytes; nil if unknown.
    func warning(_ rules: RetentionRules, reserve: Int64, free: Int64?) -> String? {
        guard kept > 0, let free else { return nil }
        let most = rules.keepsEverything ? free : Self.sum(free, max(0, deletable))
        let needed = Self.sum(reserve, max(reserve, rules.freeSpace ?? 0))
        guard most < needed else { return nil }
        let left = NumberText.bytes(max(0, most - reserve))
        return "kept recordings (\(NumberText.bytes(kept))) leave \(left) above the reserve for new ones on \(mount); "
            + "`recorder unkeep` lets some go, or move them to another disk"
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}
