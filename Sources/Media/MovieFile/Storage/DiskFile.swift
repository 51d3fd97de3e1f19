import CLinux
import FileSystem
import Glibc
package import MediaTypes
package import RealTime

/// A file on disk, accessed with pread(2) and pwrite(2).
///
/// A writer holds an exclusive lock (flock(2)) until it closes the file; if it is killed, the lock disappears. So a
/// file that is being recorded cannot be repaired, and a file that is being repaired cannot be repaired by another
/// process.
package final class DiskFile: MovieStorage {
    package let path: String
    private(set) var descriptor: Int32
    /// True if `synchronize` only makes the system start writing, and only `settle` waits for completion. Until
    /// `settle` is called, no thread waits for the disk. Set for files that can be created again.
    package var defersSync = false
    /// Bytes written since the system was last asked to start writing.
    private var unhintedBytes = 0
    /// The number of bytes after which the system is asked to start writing. Asking for every fragment would cost a
    /// tenth of the time that writing takes.
    private static let hintDistance = 2 << 20
    /// The maximum size of one write if syncing is deferred. A larger write makes the system allocate larger blocks of
    /// memory. Such blocks have been unused for a long time, so a hypervisor must first back them with memory. Writes
    /// then took three times as long.
    private static let largestDeferredWrite = 64 << 10
    /// Optional meters for the durations of writes and syncs.
    package var writeLatency: LatencyMeter?
    package var syncLatency: LatencyMeter?
    /// If set, each sync checks whether the file still has its path. If it was deleted, the sync fails. If it was
    /// moved, writing continues, and this is called with the new path, or with nil if no path leads to the file. Called
    /// on the writing thread.
    package var whenMoved: (@Sendable (String?) -> Void)?
    /// The kernel's path of the file when it was opened.
    var openedAs: String?
    /// The last known place.
    var lastPlace: Place

    package enum Mode: Sendable {
        /// Creates the file. Fails if one of that name exists.
        case create
        /// Opens an existing file for reading and writing. Fails with `busy` while another process writes to it.
        case update
        /// Like `update`, for a file that this program created. Does not follow a link.
        case reopen
        /// Opens without a lock, so a file that is being recorded can be read.
        case read
    }

    package init(path: String, mode: Mode) throws(MediaError) {
        let flags: Int32
        switch mode {
        case .create: flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        case .update: flags = O_RDWR
        case .reopen: flags = O_RDWR | O_NOFOLLOW
        case .read: flags = O_RDONLY
        }
        descriptor = Self.aboveStandardDescriptors(retrying { open(path, flags | O_CLOEXEC, 0o644) })
        self.path = path
        lastPlace = .named(path)
        guard descriptor >= 0 else {
            throw MediaError(errno: errno, mode == .create ? "cannot create \(path)" : "cannot open \(path)")
        }
        guard mode != .read else { return }
        openedAs = kernelPath
        do throws(MediaError) {
            try lock()
        } catch {
            // The file was created a moment ago, and is empty.
            if mode == .create { Self.remove(path, ifStill: identity) }
            throw error
        }
    }

    /// Moves a new descriptor above 2. If the program was started with standard descriptors closed, a library or the
    /// program itself would otherwise print into the movie.
    ///
    /// - Returns: the descriptor; below 0 with errno.
    private static func aboveStandardDescriptors(_ opened: Int32) -> Int32 {
        guard (0...2).contains(opened) else { return opened }
        let moved = fcntl(opened, F_DUPFD_CLOEXEC, 3)
        let reason = errno
        Glibc.close(opened)
        errno = reason
        return moved
    }

    /// Returns true if a process is writing to the file: a recorder or `recorder repair`. Returns false if there is no
    /// such file, and on file systems without locks.
    package static func isBeingWritten(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        // Closing also releases the lock that was taken here.
        defer { Glibc.close(descriptor) }
        var code: Int32
        repeat { code = flock(descriptor, LOCK_SH | LOCK_NB) } while code != 0 && errno == EINTR
        return code != 0 && errno == EWOULDBLOCK
    }

    private func lock() throws(MediaError) {
        var code: Int32
        repeat { code = flock(descriptor, LOCK_EX | LOCK_NB) } while code != 0 && errno == EINTR
        if code != 0, errno == EWOULDBLOCK {
            throw MediaError(
                .busy, "cannot write to \(path)", reason: "it is being recorded", underlying: .errno(EWOULDBLOCK),
                wayOut: "stop the recording first")
        }
        // A file system without locks: continue without one.
        var (opened, named) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino,
            opened.st_dev == named.st_dev
        else {
            throw MediaError(
                .notFound, "cannot open \(path)", reason: "it was just renamed",
                wayOut: "look for it under its final name")
        }
    }

    /// Copies with copy_file_range(2) as far as the file systems support it. Returns the number of bytes.
    func copyInKernel(_ range: Range<UInt64>, to target: DiskFile, at offset: UInt64) throws(MediaError) -> UInt64 {
        try Self.copyInKernel(range.upperBound - range.lowerBound, to: target) { done, count in
            var (source, place) = (Int64(range.lowerBound + done), Int64(offset + done))
            return clinux_copy_file_range(descriptor, &source, target.descriptor, &place, count)
        }
    }

    /// - Parameter copy: copies `count` bytes after the first `done`. Returns the number of copied bytes, or −1 with
    ///   errno.
    private static func copyInKernel(
        _ count: UInt64, to target: DiskFile, _ copy: (_ done: UInt64, _ count: Int) -> Int
    ) throws(MediaError) -> UInt64 {
        var done: UInt64 = 0
        while done < count {
            let copied = copy(done, Int(min(64 << 20, count - done)))
            if copied > 0 {
                done += UInt64(copied)
            } else if copied < 0, errno == EINTR {
                continue
            } else if copied < 0, [ENOSPC, EDQUOT, EFBIG].contains(errno) {
                throw MediaError(errno: errno, "cannot write \(target.path)")
            } else {
                break
            }
        }
        return done
    }

    package func copy(_ place: StoredPlace, to offset: UInt64) throws(MediaError) {
        let count = Int(
            try Self.copyInKernel(UInt64(place.count), to: self) { done, count in
                place.file.copy(count, at: place.offset + done, to: descriptor, offset + done)
            })
        unhintedBytes += count
        // Copies the rest through memory, if the file systems do not support copying in the kernel.
        guard count < place.count else { return }
        try copyThroughMemory(place[count..<place.count], to: offset + UInt64(count))
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        unhintedBytes += bytes.count
        guard let writeLatency else { return try writeAll(bytes, at: offset) }
        try writeLatency.measure { () throws(MediaError) in try writeAll(bytes, at: offset) }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        let largest = defersSync ? Self.largestDeferredWrite : .max
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress! + done, min(bytes.count - done, largest), off_t(offset) + off_t(done))
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
        guard fstat(descriptor, &status) == 0 else { throw MediaError(errno: errno, "cannot stat \(path)") }
        return UInt64(status.st_size)
    }

    /// Returns the offset of the next data at or after `offset`. On a file system without support for holes, all of the
    /// file is data.
    package func nextData(from offset: UInt64) throws(MediaError) -> UInt64 {
        let place = lseek(descriptor, off_t(offset), clinux_seek_data)
        if place >= 0 { return max(offset, UInt64(place)) }
        return errno == ENXIO ? max(offset, try size()) : offset
    }

    package func truncate(to size: UInt64) throws(MediaError) {
        guard retrying({ ftruncate(descriptor, off_t(size)) }) == 0 else {
            throw MediaError(errno: errno, "cannot truncate \(path)")
        }
    }

    package func synchronize() throws(MediaError) {
        guard defersSync else { return try settle() }
        guard unhintedBytes >= Self.hintDistance else { return }
        unhintedBytes = 0
        // This is only a hint. If it fails, the last sync takes longer.
        _ = clinux_begin_writing(descriptor)
    }

    /// Returns once everything written is on the disk (fdatasync(2)).
    package func settle() throws(MediaError) {
        let result = syncLatency.map { $0.measure { synced() } } ?? synced()
        guard result == 0 else { throw MediaError(errno: errno, "cannot sync \(path)") }
        if whenMoved != nil { try lookForPlace() }
    }

    private func synced() -> Int32 { retrying { fdatasync(descriptor) } }

    package func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    deinit { close() }
}

extension DiskFile {
    /// Makes a file's new name and the file's contents durable.
    ///
    /// The file is synced before its directory. On FAT, the directory entry contains the start and the length of the
    /// file, and after a rename these are empty until the file itself is synced. If only the directory were synced, a
    /// power loss would leave an empty file in place of a complete recording. For other file systems the sync of the
    /// file has nothing more to do.
    package static func synchronizeName(of path: String) throws(MediaError) {
        let descriptor = retrying { open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        if descriptor >= 0 {
            defer { Glibc.close(descriptor) }
            guard retrying({ fsync(descriptor) }) == 0 || errno == EINVAL else {
                throw MediaError(errno: errno, "cannot sync \(path)")
            }
        } else if errno != ENOENT {
            // ENOENT is not an error here, because the user may have moved the file a moment ago.
            throw MediaError(errno: errno, "cannot open \(path)")
        }
        try synchronizeDirectory(of: path)
    }
}

/// Repeats a call while a signal interrupts it (EINTR).
func retrying(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
