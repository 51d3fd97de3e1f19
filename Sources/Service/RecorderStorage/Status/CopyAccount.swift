package import MediaTypes

/// The progress of copying a recorder's finished files: a part of the status.
package struct CopyAccount: Codable, Sendable, Equatable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// `recorder copy NAME` is not running.
        case notRunning
        /// Everything is copied.
        case idle
        case sending
        /// A copy failed; the copier will retry.
        case waiting
        /// The user allows copying only at other hours.
        case outsideHours
    }

    package struct Backlog: Codable, Sendable, Equatable {
        package var files: Int64
        package var bytes: Int64
        /// The time at which the oldest uncopied file was finished: ISO 8601, with the machine's offset from UTC.
        @OrNull package var oldest: String?

        package init(files: Int64, bytes: Int64, oldest: String? = nil) {
            self.files = files
            self.bytes = bytes
            self.oldest = oldest
        }
    }

    package struct Sending: Codable, Sendable, Equatable {
        package var file: String
        package var bytes: Int64
        /// The number of transferred bytes.
        package var sent: Int64

        package init(file: String, bytes: Int64, sent: Int64) {
            self.file = file
            self.bytes = bytes
            self.sent = sent
        }
    }

    /// The remote in rclone's syntax.
    package var remote: String
    package var state: State
    /// `backlog.oldest` in seconds since 1970; not part of the JSON.
    package var oldestFinished: Double?
    /// The files that wait for a copy; null if the catalogue cannot be read.
    @OrNull package var backlog: Backlog?
    @OrNull package var sending: Sending?
    /// The time at which the last copy was verified.
    @OrNull package var lastCopied: String?
    /// The time of the next attempt.
    @OrNull package var nextTry: String?
    /// The last error; null without one.
    @OrNull package var error: String?

    private enum CodingKeys: CodingKey { case remote, state, backlog, sending, lastCopied, nextTry, error }

    package init(remote: String, state: State) {
        self.remote = remote
        self.state = state
    }
}
