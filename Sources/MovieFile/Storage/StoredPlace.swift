import CLinux
import FileSystem
import Glibc
package import MediaTypes
import RealTime

/// A file that is open for reading, for those who point to bytes in it.
///
/// Any thread may use it. It stays the same file when another one gets its name meanwhile.
package final class StoredFile: Sendable {
    package let path: String
    private let descriptor: Int32
    /// Which file it is, however often it is open.
    private let device: dev_t
    private let number: ino_t
    /// Bytes that it had when it was opened.
    package let byteCount: UInt64
    /// Guards what was read of it late: one lock for all packets of a film.
    let lateBytes = Locked(())

    /// - Throws: the system's error; `unsupported` for what is no regular file.
    package init(path: String) throws(MediaError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw MediaError(.unsupported, "cannot read \(path)", reason: "it is no regular file")
        }
        self.path = path
        self.descriptor = descriptor
        byteCount = UInt64(max(0, status.st_size))
        (device, number) = (status.st_dev, status.st_ino)
    }

    deinit { close(descriptor) }

    /// Whether bytes of the other one are found here too: each track of a film opens it for itself.
    package func isSame(as other: StoredFile) -> Bool {
        self === other || (device == other.device && number == other.number)
    }

    /// Reads up to `target.count` bytes (pread(2)); fewer only at the end of the file.
    ///
    /// - Throws: the system's error.
    package func read(upTo target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        var done = 0
        while done < target.count {
            let count = pread(
                descriptor, target.baseAddress.map { $0 + done }, target.count - done,
                off_t(clamping: offset.addingReportingOverflow(UInt64(done)).partialValue))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw MediaError(errno: errno, "cannot read \(path) at byte \(offset)") }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Copies inside the kernel to another file (copy_file_range(2)), as far as the file systems can.
    ///
    /// - Returns: how many bytes; −1 with errno.
    func copy(_ count: Int, at offset: UInt64, to target: Int32, _ place: UInt64) -> Int {
        var (source, destination) = (Int64(clamping: offset), Int64(clamping: place))
        return clinux_copy_file_range(descriptor, &source, target, &destination, count)
    }

    /// Reads one stretch of the file into several pieces of memory (preadv(2)), all of them.
    ///
    /// - Parameter targets: 1,024 at most (IOV_MAX).
    /// - Throws: the system's error; `ioFailure` where the file ends early: it had more when it was opened.
    package func read(into targets: [UnsafeMutableRawBufferPointer], at offset: UInt64) throws(MediaError) {
        let vectors = targets.map { iovec(iov_base: $0.baseAddress, iov_len: $0.count) }
        var count: Int
        repeat {
            count = preadv(descriptor, vectors, Int32(clamping: vectors.count), off_t(clamping: offset))
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw MediaError(errno: errno, "cannot read \(path) at byte \(offset)") }
        // What one call leaves out, at the end of the file or past 2 GiB, piece by piece.
        var (done, position) = (count, offset)
        for target in targets {
            let read = min(done, target.count)
            done -= read
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[read...])
            guard try self.read(upTo: rest, at: position + UInt64(read)) == rest.count else {
                throw MediaError(
                    .ioFailure, "cannot read \(path) at byte \(position)", reason: "the file has become shorter",
                    wayOut: "leave it alone while it is copied")
            }
            position += UInt64(target.count)
        }
    }
}

/// A stretch of a file.
package struct StoredPlace: Sendable {
    package let file: StoredFile
    package let offset: UInt64
    package let count: Int

    /// nil where the file had no such bytes when it was opened.
    package init?(_ file: StoredFile, offset: UInt64, count: Int) {
        guard count >= 0, UInt64(count) <= file.byteCount, offset <= file.byteCount - UInt64(count) else { return nil }
        self.init(unchecked: file, offset, count)
    }

    private init(unchecked file: StoredFile, _ offset: UInt64, _ count: Int) {
        (self.file, self.offset, self.count) = (file, offset, count)
    }

    /// The part of it that a range, counted from its start, has in common with it.
    package subscript(range: Range<Int>) -> StoredPlace {
        let part = range.clamped(to: 0..<count)
        return StoredPlace(unchecked: file, offset + UInt64(part.lowerBound), part.count)
    }

    /// This one and the next one as one; nil where that does not begin where this ends.
    package func joined(with next: StoredPlace) -> StoredPlace? {
        guard file.isSame(as: next.file), offset + UInt64(count) == next.offset else { return nil }
        return StoredPlace(unchecked: file, offset, count + next.count)
    }
}
