import FileSystem
import Glibc

/// Reads a small text file, such as a systemd unit. Does not open pipes or devices, because opening them could block.
enum SmallFile {
    /// Returns the text; nil if it is not a regular file of up to 64 KiB.
    static func text(of path: String) -> String? {
        var kind = stat()
        guard stat(path, &kind) == 0, kind.st_mode & S_IFMT == S_IFREG, kind.st_size <= 64 << 10 else { return nil }
        return FileContents.bytes(of: path).map { PathText.text($0) }
    }
}
