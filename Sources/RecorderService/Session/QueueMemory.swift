import Foundation

/// The memory that pictures may take while they wait for the encoder, where nobody has said how much.
///
/// An eighth of what there is for this process: several recorders on one machine, each with its own, leave room for each
/// other and for their encoders. What there is: the free memory at the start, and no more than the control groups allow.
enum QueueMemory {
    static let part: Int64 = 8
    /// Some pictures of any camera.
    static let least: Int64 = 16 << 20
    /// Where nothing can be read.
    static let usual: Int64 = 96 << 20

    /// Bytes.
    ///
    /// - Parameter read: the text of a file; nil when it is not there.
    static func share(
        read: (String) -> String? = { try? String(contentsOfFile: $0, encoding: .utf8) }
    ) -> Int64 {
        let amounts = [available(read), allowed(read)].compactMap(\.self)
        return amounts.min().map { max(least, $0 / part) } ?? usual
    }

    /// What may be taken without swapping (proc(5), `MemAvailable`).
    private static func available(_ read: (String) -> String?) -> Int64? {
        let lines = (read("/proc/meminfo") ?? "").split(separator: "\n")
        for name in ["MemAvailable:", "MemTotal:"] {
            guard let line = lines.first(where: { $0.hasPrefix(name) }) else { continue }
            let words = line.split(separator: " ")
            if words.count >= 2, let kibibytes = Int64(words[1]), (0..<Int64.max >> 10).contains(kibibytes) {
                return kibibytes << 10
            }
        }
        return nil
    }

    /// The least that a control group of this process, or one above it, is limited to (cgroups(7)); nil without a limit.
    private static func allowed(_ read: (String) -> String?) -> Int64? {
        var limits: [Int64] = []
        for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[1].isEmpty {
                for file in ["memory.max", "memory.high"] {
                    limits += self.limits(file, root: "/sys/fs/cgroup", group: fields[2], read)
                }
            } else if fields[1].split(separator: ",").contains("memory") {
                limits += self.limits("memory.limit_in_bytes", root: "/sys/fs/cgroup/memory", group: fields[2], read)
            }
        }
        return limits.min()
    }

    /// Of the group and all above it. In a container only the root may be there.
    private static func limits(
        _ file: String, root: String, group: Substring, _ read: (String) -> String?
    ) -> [Int64] {
        var group = group
        var limits: [Int64] = []
        while true {
            let directory = group == "/" ? root : root + group
            if let text = read("\(directory)/\(file)"),
                let limit = Int64(text.trimmingCharacters(in: .whitespacesAndNewlines)), limit > 0
            {
                limits.append(limit)
            }
            guard let slash = group.lastIndex(of: "/"), group != "/" else { return limits }
            group = slash == group.startIndex ? "/" : group[..<slash]
        }
    }
}
