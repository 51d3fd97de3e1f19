import CLinux
import Glibc
package import MediaTypes

/// A file that one living process holds: a lock of the open file (fcntl(2), F_OFD_SETLK), which goes with the process however
/// that ends. On NFS the server keeps it, so that it holds between machines.
package final class FileClaim: Sendable {
    package enum Failure: Error {
        /// Somebody who lives has it.
        case held
        case failed(MediaError)
    }

    private let descriptor: Int32
    private let path: RawPath

    /// Makes the file where there is none. What is in it stays.
    package init(_ path: RawPath) throws(Failure) {
        self.path = path
        while true {
            let file = path.withCString { open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644) }
            guard file >= 0 else { throw .failed(MediaError(errno: errno, "cannot open \(path.display)")) }
            guard clinux_lock_file(file) == 0 else {
                let number = errno
                close(file)
                if number == EAGAIN || number == EACCES { throw .held }
                throw .failed(
                    MediaError(
                        errno: number, "cannot lock \(path.display)",
                        wayOut: "the file system has to know locks: NFS without `nolock`"))
            }
            // Its owner may have removed it between the two calls: then this lock is of a file that nobody finds.
            var mine = stat()
            if fstat(file, &mine) == 0, let there = FileFacts.of(path), there.st_ino == mine.st_ino,
                there.st_dev == mine.st_dev
            {
                descriptor = file
                return
            }
            close(file)
        }
    }

    /// Whether somebody who lives has it; nil where nobody can say.
    package static func isHeld(_ path: RawPath) -> Bool? {
        let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard file >= 0 else { return errno == ENOENT ? false : nil }
        defer { close(file) }
        let answer = clinux_is_file_locked(file)
        return answer < 0 ? nil : answer > 0
    }

    /// At most 4 KiB of what is in it.
    package var content: String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Over what is in it, and onto the disk. At no instant is there nothing: whoever is killed here leaves the beginning that
    /// the old and the new text share.
    package func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
        ftruncate(descriptor, off_t(bytes.count))
        fsync(descriptor)
    }

    /// Takes the file away, while it is still held.
    package func remove() { _ = path.withCString { unlink($0) } }

    deinit { close(descriptor) }
}
