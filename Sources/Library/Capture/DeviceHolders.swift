import Glibc

/// The programs that have a device open, as far as this process may see: those of its own user, or all if it runs as
/// root.
///
/// Source: proc(5), `/proc/PID/fd` and `/proc/PID/comm`.
enum DeviceHolders {
    /// Returns the reason why a device is busy: "in use by arecord (process 1234)".
    ///
    /// - Parameter isDevice: A closure that returns true if a path is that of the device's node.
    static func reason(for isDevice: (String) -> Bool) -> String {
        let holders = holders(isDevice)
        switch holders.count {
        case 0: return "in use by another program"
        case 1: return "in use by \(holders[0])"
        // Any of them may be the one that uses the device: a program can have the node open without streaming from it.
        default: return "in use by one of \(holders.prefix(4).joined(separator: ", "))"
        }
    }

    private static func holders(_ isDevice: (String) -> Bool) -> [String] {
        KernelFiles.names(in: "/proc").compactMap { process in
            // This process may have the node open too.
            guard let number = Int32(process), number != getpid() else { return nil }
            let files = KernelFiles.names(in: "/proc/\(process)/fd")
            guard files.contains(where: { link("/proc/\(process)/fd/\($0)").map(isDevice) ?? false }) else {
                return nil
            }
            let name = KernelFiles.firstLine(of: "/proc/\(process)/comm") ?? "a program"
            return "\(name) (process \(process))"
        }
    }

    private static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
