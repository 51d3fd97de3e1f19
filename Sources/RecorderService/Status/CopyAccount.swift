package import MediaTypes

/// How far the copies of a recorder's finished files are: part of the status.
package struct CopyAccount: Codable, Sendable, Equatable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// Nobody copies: `recorder copy NAME` is not there.
        case notRunning
        /// Everything is copied.
        case idle
        case sending
        /// Something failed; it is tried again.
        case waiting
        /// The owner lets it copy at other hours.
        case outsideHours
    }

    package struct Backlog: Codable, Sendable, Equatable {
        package var files: Int64
        package var bytes: Int64
        /// When the oldest of them was finished: ISO 8601, with the machine's offset from UTC.
        @OrNull package var oldest: String?
    }

    package struct Sending: Codable, Sendable, Equatable {
        package var file: String
        package var bytes: Int64
        /// That went over the line.
        package var sent: Int64

        package init(file: String, bytes: Int64, sent: Int64) {
            self.file = file
            self.bytes = bytes
            self.sent = sent
        }
    }

    /// As rclone spells it.
    package var remote: String
    package var state: State
    /// The same as `backlog.oldest`, in seconds since 1970; no part of the JSON.
    package var oldestFinished: Double?
    /// null where the catalogue cannot be read.
    @OrNull package var backlog: Backlog?
    @OrNull package var sending: Sending?
    /// When the last copy was verified.
    @OrNull package var lastCopied: String?
    /// When it is tried again.
    @OrNull package var nextTry: String?
    /// Why nothing, or something, is copied; null while all is well.
    @OrNull package var error: String?

    private enum CodingKeys: CodingKey { case remote, state, backlog, sending, lastCopied, nextTry, error }

    package init(remote: String, state: State) {
        self.remote = remote
        self.state = state
    }
}
