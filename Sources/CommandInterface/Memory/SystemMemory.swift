import Foundation

/// What the machine has to give.
package enum SystemMemory {
    /// What may be taken without swapping, in bytes (proc(5), `MemAvailable`); much where nobody says.
    package static var available: Int64 {
        guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemAvailable:") }),
            let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int64($0) })
        else { return .max }
        return kibibytes << 10
    }

    /// How many encoders have room in so many bytes: of films of 3840 × 2160, with what they look ahead at.
    package static func encoders(in bytes: Int64) -> Int { Int(clamping: bytes / (1536 << 20)) }
}
