import CLinux
import FileSystem
import Glibc

/// The free space on the file system of a directory, and the current write rate.
package struct DiskSpace: Sendable {
    private var samples: [(nanoseconds: Int64, bytes: Int64)] = []
    private let window: Int64 = 5_000_000_000

    package init() {}

    /// Returns the bytes that this user may still write in the directory (statvfs(3), `f_bavail`); nil if unknown. The
    /// directory need not exist yet.
    package static func free(at directory: String) -> Int64? {
        guard let directory = nearest(directory) else { return nil }
        var values = statvfs()
        guard statvfs(directory, &values) == 0 else { return nil }
        let (bytes, overflow) = Int64(clamping: values.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: values.f_frsize))
        return overflow ? .max : bytes
    }

    /// Makes the file system of a directory free the space of deleted files, and waits up to a second for that.
    ///
    /// Btrfs frees the space with its next commit, which comes up to 30 s later (btrfs(5), `commit`) or with syncfs(2).
    /// XFS frees it in the background.
    ///
    /// - Parameter isDone: Returns true if enough space was freed.
    package static func settle(_ directory: String, until isDone: () -> Bool) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = clinux_sync_file_system(descriptor)
        for _ in 0..<20 {
            guard !isDone() else { return }
            // The kernel reports no event when space becomes free.
            usleep(50_000)
        }
    }

    /// Returns the directory itself if it exists; otherwise the nearest existing directory above it.
    private static func nearest(_ directory: String) -> String? {
        var kind = stat()
        var path = directory[...]
        while stat(String(path.isEmpty ? "/" : path), &kind) != 0 {
            guard errno == ENOENT, !path.isEmpty else { return nil }
            path = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
        }
        return path.isEmpty ? "/" : String(path)
    }

    /// Returns the size in bytes at which a file should end because its size is limited; nil without a limit.
    ///
    /// FAT stores a file's size in 32 bits (statfs(2), `MSDOS_SUPER_MAGIC`); the process may also have a limit
    /// (getrlimit(2), `RLIMIT_FSIZE`).
    package static func largestFile(at directory: String) -> Int64? {
        var limit = rlimit()
        var largest: Int64?
        if getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < UInt64(Int64.max) {
            largest = Int64(limit.rlim_cur)
        }
        let isFAT = nearest(directory).map { clinux_file_system_type($0) == 0x4d44 } ?? false
        if isFAT { largest = min(largest ?? .max, Int64(UInt32.max)) }
        return largest.map(room)
    }

    /// Returns the size at which a file should end: seven eighths of its maximum size. The rest is for the index and
    /// for the samples up to the next keyframe.
    package static func room(_ largest: Int64) -> Int64 { largest - largest / 8 }

    /// Records the number of bytes that have been written by now.
    package mutating func record(bytes: Int64, at nanoseconds: Int64) {
        samples.append((nanoseconds, bytes))
        while samples.count > 2, samples[1].nanoseconds <= nanoseconds - window { samples.removeFirst() }
    }

    /// Bytes per second over the last five seconds; nil before there are two records.
    package var writeRate: Double? {
        guard let first = samples.first, let last = samples.last, last.nanoseconds > first.nanoseconds else {
            return nil
        }
        return Double(last.bytes - first.bytes) / (Double(last.nanoseconds - first.nanoseconds) / 1e9)
    }
}
