import Glibc

/// Room on the file system of a directory, and how fast it is being used.
struct DiskSpace {
    private var samples: [(nanoseconds: Int64, bytes: Int64)] = []
    private let window: Int64 = 5_000_000_000

    /// Bytes that this user may still write (statvfs(3), `f_bavail`); nil when the directory is gone.
    static func free(at directory: String) -> Int64? {
        var values = statvfs()
        guard statvfs(directory, &values) == 0 else { return nil }
        let (bytes, overflow) = Int64(clamping: values.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: values.f_frsize))
        return overflow ? .max : bytes
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
