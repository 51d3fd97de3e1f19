package import MediaTypes

/// The state of one of the two mirrored files of a movie.
package struct MirroredFileStatus: Sendable, Equatable {
    package enum Condition: String, Sendable {
        /// The file is being created.
        case opening
        /// The file has all data that the other file has.
        case complete
        /// The file is being written. The data that it lacks is being copied from the other file.
        case behind
        /// The disk is full; writing resumes when there is room.
        case full
        /// The disk cannot be written; writing resumes when it is available again.
        case lost
        /// The file was deleted, or another file has its name; it is not written any more.
        case gone
        /// The file is finalized and has its final name.
        case whole

        /// True if the file cannot be written, because its disk is full or disconnected, or because the file was
        /// deleted.
        package var isUnavailable: Bool { [.full, .lost, .gone].contains(self) }
    }

    package var condition: Condition
    /// The path of the file: its final name once it is finalized.
    package var path: String
    /// The number of bytes that the file lacks, or that may have been lost with its disk.
    package var missing: UInt64 = 0
    /// The reason why writing has stopped.
    package var error: MediaError?

    package init(condition: Condition, path: String, missing: UInt64 = 0, error: MediaError? = nil) {
        (self.condition, self.path, self.missing, self.error) = (condition, path, missing, error)
    }
}
