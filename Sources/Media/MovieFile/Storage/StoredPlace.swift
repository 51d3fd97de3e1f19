import CLinux
import FileSystem
import Glibc
package import MediaTypes
import RealTime

/// A file that is open for reading. `StoredPlace` refers to bytes in it.
///
/// Any thread may use it. It remains the same file even if another file gets its name.
package final class StoredFile: Sendable {
    package let path: String
    private let descriptor: Int32
    /// The device of the file. With `number` it identifies the file, even if it is opened several times.
    private let device: dev_t
    private let number: ino_t
    /// The size when it was opened, in bytes.
    package let byteCount: UInt64
    /// Guards bytes that are read on first access. All packets of a movie share this lock.
    let lateBytes = Locked(())

    /// - Throws: the system's error; `unsupported` if it is not a regular file.
    package init(path: String) throws(MediaError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw MediaError(.unsupported, "cannot read \(path)", reason: "it is not a regular file")
        }
        self.path = path
        self.descriptor = descriptor
        byteCount = UInt64(max(0, status.st_size))
        (device, number) = (status.st_dev, status.st_ino)
    }

    deinit { close(descriptor) }

    /// Returns true if both objects refer to the same file. Each track of a movie opens the file separately.
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

    /// Copies to another file inside the kernel (copy_file_range(2)), as far as the file systems support it.
    ///
    /// - Returns: the number of bytes; −1 with errno.
    func copy(_ count: Int, at offset: UInt64, to target: Int32, _ place: UInt64) -> Int {
        var (source, destination) = (Int64(clamping: offset), Int64(clamping: place))
        return clinux_copy_file_range(descriptor, &source, target, &destination, count)
    }

    /// Reads one range of the file into several pieces of memory (preadv(2)), and fills them all.
    ///
    /// - Parameter targets: at most 1,024 (IOV_MAX).
    /// - Throws: the system's error; `ioFailure` if the file has become shorter since it was opened.
    package func read(into targets: [UnsafeMutableRawBufferPointer], at offset: UInt64) throws(MediaError) {
        let vectors = targets.map { iovec(iov_base: $0.baseAddress, iov_len: $0.count) }
        var count: Int
        repeat {
            count = preadv(descriptor, vectors, Int32(clamping: vectors.count), off_t(clamping: offset))
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw MediaError(errno: errno, "cannot read \(path) at byte \(offset)") }
        // One call may read less, at the end of the file or above 2 GiB. The rest is read piece by piece.
        var (done, position) = (count, offset)
        for target in targets {
            let read = min(done, target.count)
            done -= read
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[read...])
            guard try self.read(upTo: rest, at: position + UInt64(read)) == rest.count else {
                throw MediaError(
                    .ioFailure, "cannot read \(path) at byte \(position)", reason: "the file was truncated meanwhile",
                    wayOut: "do not change it while it is being copied")
            }
            position += UInt64(target.count)
        }
    }
}

/// A range of bytes in a file.
package struct StoredPlace: Sendable {
    package let file: StoredFile
    package let offset: UInt64
    package let count: Int

    /// Creates a range of a file. Returns nil if the file did not have these bytes when it was opened.
    package init?(_ file: StoredFile, offset: UInt64, count: Int) {
        guard count >= 0, UInt64(count) <= file.byteCount, offset <= file.byteCount - UInt64(count) else { return nil }
        self.init(unchecked: file, offset, count)
    }

    private init(unchecked file: StoredFile, _ offset: UInt64, _ count: Int) {
        (self.file, self.offset, self.count) = (file, offset, count)
    }

    /// Returns a part of this range of the file. `range` counts bytes from the start of this range, not of the
    /// file.
    package subscript(range: Range<Int>) -> StoredPlace {
        let part = range.clamped(to: 0..<count)
        return StoredPlace(unchecked: file, offset + UInt64(part.lowerBound), part.count)
    }

    /// Returns this range joined with the next one; nil if `next` does not begin where this range ends.
    package func joined(with next: StoredPlace) -> StoredPlace? {
        guard file.isSame(as: next.file), offset + UInt64(count) == next.offset else { return nil }
        return StoredPlace(unchecked: file, offset, count + next.count)
    }
}
