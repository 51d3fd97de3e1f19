import FileSystem
import Glibc

/// Reads a small text, such as a unit of systemd. Never opens a pipe or a device, which could block.
enum SmallFile {
    /// Returns the text; nil if it is not a regular file of up to 64 KiB.
    static func text(of path: String) -> String? {
        var kind = stat()
        guard stat(path, &kind) == 0, kind.st_mode & S_IFMT == S_IFREG, kind.st_size <= 64 << 10 else { return nil }
        return FileContents.bytes(of: path).map { PathText.text($0) }
    }
}
