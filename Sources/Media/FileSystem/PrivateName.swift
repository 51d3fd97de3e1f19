import Glibc

/// The names of files that are written before they get their final names.
package enum PrivateName {
    /// Returns an unused name beside a path: hidden, with this process's number and a random number. The caller must
    /// still create the file exclusively (O_EXCL).
    package static func beside(_ path: String, for purpose: String) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        // 255 bytes is the longest name (NAME_MAX).
        let name = path[start...].utf8.count > 180 ? "" : path[start...] + "."
        let chance = String(UInt32.random(in: 0...UInt32.max), radix: 36)
        return "\(path[..<start]).\(name)\(getpid())-\(chance).\(purpose)"
    }
}
