import MediaTypes

/// A folder in which a recorder would write.
struct FolderFacts: Sendable, Equatable {
    /// The measured speed of a disk.
    enum Writing: Sendable, Equatable {
        /// Bytes per second.
        case measured(Double)
        case failed(MediaError)
        /// The speed was not measured. The associated value is the reason.
        case skipped(String)
    }

    var recorder: String
    var path: String
    /// True for the folder of the second disk (`--mirror`).
    var isMirror = false
    /// The reason why no file can be created in the folder; nil if files can be created.
    var problem: MediaError?
    /// Free bytes; nil if unknown.
    var free: Int64?
    /// The free space at which a recording ends, in bytes.
    var reserve: Int64
    /// True if retention deletes older recordings.
    var deletesOldest: Bool
    /// Estimated bytes per second that all examined recorders together write to this disk; nil if unknown.
    var needed: Double?
    var writing: Writing
}
