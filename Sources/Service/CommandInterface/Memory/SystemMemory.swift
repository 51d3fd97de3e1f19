import Foundation

/// The memory of the machine.
package enum SystemMemory {
    /// The bytes that can be allocated without swapping (proc(5), `MemAvailable`); the maximum if that cannot be read.
    package static var available: Int64 {
        guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemAvailable:") }),
            let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int64($0) })
        else { return .max }
        return kibibytes << 10
    }

    /// Returns how many encoders fit into `bytes`, each for frames of 3840 × 2160 with their lookahead.
    package static func encoders(in bytes: Int64) -> Int { Int(clamping: bytes / (1536 << 20)) }
}
