import CLinux
import Glibc
package import MediaTypes

/// A file that one running process has locked with an open file description lock (fcntl(2), F_OFD_SETLK). The lock ends
/// with the process. On NFS the server keeps the lock, so that it also excludes processes on other machines.
package final class FileClaim: Sendable {
    package enum Failure: Error {
        /// Another running process has the lock.
        case held
        case failed(MediaError)
    }

    private let descriptor: Int32
    private let path: RawPath

    /// Opens and locks the file. Creates the file if it does not exist, and keeps existing content.
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
                        wayOut: "use a file system with locks, e.g. NFS mounted without `nolock`"))
            }
            // The process that held the lock may have removed the file between the two calls. Then the locked file no
            // longer has the name.
            var mine = stat()
            if fstat(file, &mine) == 0, let there = FileMetadata.of(path), there.st_ino == mine.st_ino,
                there.st_dev == mine.st_dev
            {
                descriptor = file
                return
            }
            close(file)
        }
    }

    /// Returns true if a running process has the lock; nil if unknown.
    package static func isHeld(_ path: RawPath) -> Bool? {
        let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard file >= 0 else { return errno == ENOENT ? false : nil }
        defer { close(file) }
        let answer = clinux_is_file_locked(file)
        return answer < 0 ? nil : answer > 0
    }

    /// The first 4 KiB of the file's content.
    package var content: String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Overwrites the content and syncs it to the disk. The file is not emptied before the write: if the process is
    /// killed during the write, at least the common beginning of both texts remains.
    package func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
        ftruncate(descriptor, off_t(bytes.count))
        fsync(descriptor)
    }

    /// Removes the file while it is still locked.
    package func remove() { _ = path.withCString { unlink($0) } }

    deinit { close(descriptor) }
}
