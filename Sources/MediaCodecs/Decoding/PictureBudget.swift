import Foundation
import RealTime

/// What decoded pictures may take of the memory, all decoders of this process together: a film of a few kilobytes can ask for
/// pictures of gigabytes. Small pictures are not counted.
enum PictureBudget {
    /// Half of what the machine, a container or a limit leaves to this process, in bytes.
    static let limit: Int = {
        var limits = [Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))]
        // A container sees its own limit there (cgroup v2, memory.max); elsewhere the file is not there, or says "max".
        if let text = try? String(contentsOfFile: "/sys/fs/cgroup/memory.max", encoding: .utf8),
            let bytes = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        {
            limits.append(bytes)
        }
        for resource in [RLIMIT_AS, RLIMIT_DATA] {
            var values = rlimit()
            guard getrlimit(__rlimit_resource_t(resource.rawValue), &values) == 0 else { continue }
            limits.append(Int(clamping: values.rlim_cur))
        }
        return max(64 << 20, (limits.filter { $0 > 0 }.min() ?? .max) / 2)
    }()

    private static let taken = Locked(0)

    /// - Returns: false when there is not so much left.
    static func take(_ byteCount: Int) -> Bool {
        taken.withLock { taken in
            guard byteCount <= limit - taken else { return false }
            taken += byteCount
            return true
        }
    }

    static func giveBack(_ byteCount: Int) { taken.withLock { $0 -= byteCount } }
}
