import CLinux
import Glibc

/// Room on the file system of a directory, and how fast it is being used.
struct DiskSpace {
    private var samples: [(nanoseconds: Int64, bytes: Int64)] = []
    private let window: Int64 = 5_000_000_000

    /// Bytes that this user may still write (statvfs(3), `f_bavail`) where the directory is, or will be made.
    static func free(at directory: String) -> Int64? {
        var values = statvfs()
        var path = directory[...]
        while statvfs(String(path.isEmpty ? "/" : path), &values) != 0 {
            guard errno == ENOENT, !path.isEmpty else { return nil }
            path = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
        }
        let (bytes, overflow) = Int64(clamping: values.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: values.f_frsize))
        return overflow ? .max : bytes
    }

    /// Where a file cannot be as large as a recording may become, the media that surely fits; nil where size is no matter.
    ///
    /// FAT counts a file's bytes in 32 bits (statfs(2), `MSDOS_SUPER_MAGIC`); the index comes on top of the media.
    static func largestFile(at directory: String) -> Int64? {
        clinux_file_system_type(directory) == 0x4d44 ? 4_000_000_000 : nil
    }

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
