import Foundation

/// Identifies the current boot of this machine (random(4), boot_id).
enum BootIdentity {
    static let text: String = {
        let boot = read("/proc/sys/kernel/random/boot_id")
        // In a time namespace the monotonic clock has an offset (time_namespaces(7)).
        let offsets = read("/proc/self/timens_offsets").split(separator: "\n").first { $0.hasPrefix("monotonic") }
        let offset = offsets?.split(whereSeparator: \.isWhitespace).dropFirst().joined(separator: ".") ?? "0.0"
        return offset == "0.0" || offset == "0.000000000" ? boot : "\(boot)+\(offset)"
    }()

    private static func read(_ path: String) -> String {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
