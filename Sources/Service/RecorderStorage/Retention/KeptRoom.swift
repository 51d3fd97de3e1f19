import CommandInterface
import MediaTypes

/// The space that kept recordings leave for new recordings on one file system. A pure value.
struct KeptRoom: Sendable, Hashable {
    let mount: String
    /// Bytes of the kept recordings.
    var kept: Int64 = 0
    /// Bytes of the recordings that retention may delete.
    var deletable: Int64 = 0
    /// Bytes of an hour of recording; 0 if unknown.
    var hour: Int64 = 0

    init(mount: String) { self.mount = mount }

    /// Returns a warning if kept recordings leave too little room for new ones.
    ///
    /// The room for new recordings is the free space plus the size of the recordings that retention may delete. Without
    /// rules, retention deletes nothing. A recording ends when only the reserve is free. Above the reserve, new
    /// recordings need the largest of three sizes: the reserve again, an hour of recording, and `keep-free`. If
    /// `keep-size` is the only limit, it counts as a fourth size.
    ///
    /// - Parameter free: The free bytes; nil if unknown.
    func warning(_ rules: RetentionRules, reserve: Int64, free: Int64?) -> String? {
        guard kept > 0, let free else { return nil }
        let most = rules.keepsEverything ? free : Self.sum(free, max(0, deletable))
        let total = rules.age == nil && rules.freeSpace == nil ? rules.totalSize ?? 0 : 0
        let above = max(reserve, rules.freeSpace ?? 0, hour, total)
        guard most < Self.sum(reserve, above) else { return nil }
        let left = NumberText.bytes(max(0, most - reserve))
        let need = Self.need(above, rules, total, hour)
        return "kept recordings (\(NumberText.bytes(kept))) leave too little room for new ones on \(mount): "
            + "\(left) above the reserve, less than \(need); run `recorder unkeep` for some, or move some to another disk"
    }

    private static func need(_ above: Int64, _ rules: RetentionRules, _ total: Int64, _ hour: Int64) -> String {
        let size = NumberText.bytes(above)
        if above == rules.freeSpace { return "keep-free (\(size))" }
        if above == total { return "keep-size (\(size))" }
        return above == hour ? "an hour of recording (\(size))" : "the reserve again (\(size))"
    }

    /// Returns the size of an hour of recording, from the sizes and durations of recent files; 0 if unknown.
    static func hour(_ recordings: [FinishedRecording]) -> Int64 {
        var (bytes, seconds) = (0.0, 0.0)
        for recording in recordings {
            guard let duration = recording.account.duration, duration.isFinite, duration > 0 else { continue }
            bytes += Double(max(0, recording.identity.size))
            seconds += duration
        }
        // A shorter time says little about an hour.
        return seconds >= 1 ? Int64(clamping: bytes / seconds * 3600) : 0
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}
