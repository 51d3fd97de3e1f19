import Glibc

/// The contents of a small file.
///
/// Used instead of Foundation. For a path that is not UTF-8, Foundation fails, or reads another file.
package enum FileContents {
    /// Returns the bytes of a file; nil if it cannot be read. The reason is in errno.
    package static func bytes(of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
        }
    }
}
