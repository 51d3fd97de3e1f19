import CLinux
import FileSystem
import Glibc

/// Room on the file system of a directory, and how fast it is being used.
package struct DiskSpace {
    private var samples: [(nanoseconds: Int64, bytes: Int64)] = []
    private let window: Int64 = 5_000_000_000

    /// Bytes that this user may still write (statvfs(3), `f_bavail`) where the directory is, or will be made.
    package static func free(at directory: String) -> Int64? {
        guard let directory = nearest(directory) else { return nil }
        var values = statvfs()
        guard statvfs(directory, &values) == 0 else { return nil }
        let (bytes, overflow) = Int64(clamping: values.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: values.f_frsize))
        return overflow ? .max : bytes
    }

    /// The directory itself, or the next one above it that is there.
    private static func nearest(_ directory: String) -> String? {
        var kind = stat()
        var path = directory[...]
        while stat(String(path.isEmpty ? "/" : path), &kind) != 0 {
            guard errno == ENOENT, !path.isEmpty else { return nil }
            path = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
        }
        return path.isEmpty ? "/" : String(path)
    }

    /// Where a file cannot be as large as a recording may become, the bytes after which it should end; nil where size is no
    /// matter.
    ///
    /// FAT counts a file's bytes in 32 bits (statfs(2), `MSDOS_SUPER_MAGIC`); this process may have a limit of its own
    /// (getrlimit(2), `RLIMIT_FSIZE`).
    static func largestFile(at directory: String) -> Int64? {
        var limit = rlimit()
        var largest: Int64?
        if getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < UInt64(Int64.max) {
            largest = Int64(limit.rlim_cur)
        }
        let isFAT = nearest(directory).map { clinux_file_system_type($0) == 0x4d44 } ?? false
        if isFAT { largest = min(largest ?? .max, Int64(UInt32.max)) }
        return largest.map(room)
    }

    /// Where files may be so large: what is kept for the index, and for what comes until a key frame divides them.
    static func room(_ largest: Int64) -> Int64 { largest - largest / 8 }

    /// Notes how much has been written by now.
    mutating func note(bytes: Int64, at nanoseconds: Int64) {
        samples.append((nanoseconds, bytes))
        while samples.count > 2, samples[1].nanoseconds <= nanoseconds - window { samples.removeFirst() }
    }

    /// Bytes a second over the last five; nil before there are two notes.
    var writeRate: Double? {
        guard let first = samples.first, let last = samples.last, last.nanoseconds > first.nanoseconds else {
            return nil
        }
        return Double(last.bytes - first.bytes) / (Double(last.nanoseconds - first.nanoseconds) / 1e9)
    }
}
