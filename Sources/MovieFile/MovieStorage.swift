import CLinux
import Glibc
package import MediaTypes

/// The file beneath a movie: the few operations that writing and finishing need. Tests put failing ones in its place.
package protocol MovieStorage: AnyObject {
    /// Writes all bytes at an offset. Blocks for as long as the disk does.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError)
    /// Reads up to `bytes.count` bytes; fewer only at the end of the file.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int
    func size() throws(MediaError) -> UInt64
    func truncate(to size: UInt64) throws(MediaError)
    /// Returns once everything written is on the disk (fdatasync(2)).
    func synchronize() throws(MediaError)
}

extension MovieStorage {
    func write(_ bytes: [UInt8], at offset: UInt64) throws(MediaError) {
        // A closure passed to a rethrowing function of the standard library cannot throw a typed error.
        let result = bytes.withUnsafeBytes { buffer -> Result<Void, MediaError> in
            do throws(MediaError) { return .success(try write(buffer, at: offset)) } catch { return .failure(error) }
        }
        try result.get()
    }

    func read(_ count: Int, at offset: UInt64) throws(MediaError) -> [UInt8] {
        var failure: MediaError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(MediaError) {
                initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }
}

/// A file on disk, by pread(2) and pwrite(2).
package final class DiskFile: MovieStorage {
    package let path: String
    private let descriptor: Int32

    package enum Mode: Sendable {
        /// Creates the file; fails when there is one of that name.
        case create
        case update
        case read
    }

    package init(path: String, mode: Mode) throws(MediaError) {
        let flags: Int32
        switch mode {
        case .create: flags = O_RDWR | O_CREAT | O_EXCL
        case .update: flags = O_RDWR
        case .read: flags = O_RDONLY
        }
        descriptor = open(path, flags | O_CLOEXEC, 0o644)
        self.path = path
        guard descriptor >= 0 else {
            throw MediaError(errno: errno, mode == .create ? "cannot create \(path)" : "cannot open \(path)")
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                throw MediaError(errno: count < 0 ? errno : ENOSPC, "cannot write \(path)")
            }
            done += count
        }
    }

    package func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        var done = 0
        while done < bytes.count {
            let count = pread(
                descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw MediaError(errno: errno, "cannot read \(path)") }
            if count == 0 { break }
            done += count
        }
        return done
    }

    package func size() throws(MediaError) -> UInt64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw MediaError(errno: errno, "cannot examine \(path)") }
        return UInt64(status.st_size)
    }

    package func truncate(to size: UInt64) throws(MediaError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw MediaError(errno: errno, "cannot shorten \(path)") }
    }

    package func synchronize() throws(MediaError) {
        guard fdatasync(descriptor) == 0 else { throw MediaError(errno: errno, "cannot sync \(path)") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Makes a directory's entries durable (fsync(2) on the directory).
    package static func synchronizeDirectory(of path: String) throws(MediaError) {
        let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let name = directory.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : directory
        let descriptor = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MediaError(errno: errno, "cannot open directory \(name)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw MediaError(errno: errno, "cannot sync directory \(name)")
        }
    }

    /// Gives a file its final name. Without `replacing` an existing file of that name stays and the call fails.
    package static func rename(_ path: String, to target: String, replacing: Bool) throws(MediaError) {
        if replacing {
            guard Glibc.rename(path, target) == 0 else {
                throw MediaError(errno: errno, "cannot rename \(path) to \(target)")
            }
            return
        }
        if clinux_rename_exclusive(path, target) == 0 { return }
        // File systems without an exclusive rename get link and unlink, which never replace either.
        guard errno == EINVAL || errno == ENOSYS else {
            throw MediaError(
                errno: errno, "cannot rename \(path) to \(target)",
                wayOut: "the recording is whole under its first name")
        }
        guard link(path, target) == 0 else { throw MediaError(errno: errno, "cannot rename \(path) to \(target)") }
        unlink(path)
    }
}
