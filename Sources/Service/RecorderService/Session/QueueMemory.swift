import Foundation

/// Computes the memory for frames that wait for the encoder, if no limit is configured.
///
/// The limit is an eighth of the memory that this process can use. This leaves enough memory for the queues of several
/// recorders on one machine, and for their encoders. The usable memory is the memory that is free at the start, or the
/// limit of a cgroup if that is smaller (cgroups(7)).
enum QueueMemory {
    static let part: Int64 = 8
    /// The minimum limit in bytes, enough for some frames of any camera.
    static let least: Int64 = 16 << 20
    /// The limit in bytes if the system's files cannot be read.
    static let usual: Int64 = 96 << 20

    /// Returns the limit in bytes.
    ///
    /// - Parameter read: Returns the text of a file; nil if it does not exist.
    static func share(
        read: (String) -> String? = { try? String(contentsOfFile: $0, encoding: .utf8) }
    ) -> Int64 {
        let amounts = [available(read), allowed(read)].compactMap(\.self)
        return amounts.min().map { max(least, $0 / part) } ?? usual
    }

    /// Returns the memory that can be allocated without swapping, in bytes (proc(5), `MemAvailable`).
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

    /// Returns the smallest memory limit in bytes of this process's cgroup and of those above it; nil without a limit.
    private static func allowed(_ read: (String) -> String?) -> Int64? {
        var limits: [Int64] = []
        for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[1].isEmpty {
                for file in ["memory.max", "memory.high"] {
                    limits += self.limits(file, root: "/sys/fs/cgroup", cgroup: fields[2], read)
                }
            } else if fields[1].split(separator: ",").contains("memory") {
                limits += self.limits("memory.limit_in_bytes", root: "/sys/fs/cgroup/memory", cgroup: fields[2], read)
            }
        }
        return limits.min()
    }

    /// Returns the memory limits in bytes of a cgroup and of all cgroups above it. In a container, only the root may
    /// exist.
    private static func limits(
        _ file: String, root: String, cgroup: Substring, _ read: (String) -> String?
    ) -> [Int64] {
        var cgroup = cgroup
        var limits: [Int64] = []
        while true {
            let directory = cgroup == "/" ? root : root + cgroup
            if let text = read("\(directory)/\(file)"),
                let limit = Int64(text.trimmingCharacters(in: .whitespacesAndNewlines)), limit > 0
            {
                limits.append(limit)
            }
            guard let slash = cgroup.lastIndex(of: "/"), cgroup != "/" else { return limits }
            cgroup = slash == cgroup.startIndex ? "/" : cgroup[..<slash]
        }
    }
}
