/// Detects that rclone makes no progress. A pure value. Times are in nanoseconds of a monotonic clock.
///
/// rclone reports only the bytes that it has sent. Before it sends the first one to an object store, it reads the entire
/// file for the checksum. After the last one, the remote may compute a checksum. Both take minutes for a large file.
struct TransferWatch {
    /// Maximum time without progress.
    let silence: Int64
    /// The size of the file that is sent, and the maximum time without progress after its last byte; nil if no file is
    /// sent.
    var file: (size: Int64, silence: Int64)?

    private var last: Int64
    private(set) var sent: Int64 = 0
    private var read: Int64 = 0

    /// The number of bytes that rclone must have read since the last progress. Reading fewer bytes, such as answers of
    /// the remote, is no progress.
    private static let leastRead: Int64 = 1 << 20

    init(silence: Int64, file: (size: Int64, silence: Int64)? = nil, at now: Int64) {
        (self.silence, self.file, last) = (silence, file, now)
    }

    /// Records output of rclone.
    mutating func recordOutput(at now: Int64) { last = now }

    /// Records the present counts.
    ///
    /// - Parameters:
    ///   - sent: The bytes that rclone says it has sent.
    ///   - read: The bytes that rclone has read from files and connections; nil if unknown.
    mutating func record(sent: Int64, read: Int64?, at now: Int64) {
        if sent > self.sent { (self.sent, last) = (sent, now) }
        // Only a transfer reads the file.
        guard file != nil, let read, read &- self.read >= Self.leastRead else { return }
        (self.read, last) = (read, now)
    }

    /// Returns true if there was no progress for too long.
    func isStalled(at now: Int64) -> Bool {
        guard let file, sent >= file.size else { return now - last > silence }
        return now - last > max(silence, file.silence)
    }
}
