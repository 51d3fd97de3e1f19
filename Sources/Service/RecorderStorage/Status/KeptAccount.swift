package import MediaTypes

/// The recordings that their owner keeps: a part of the status.
package struct KeptAccount: Codable, Sendable, Equatable {
    package var files: Int64 = 0
    package var bytes: Int64 = 0
    /// A warning in one line that the kept recordings leave too little room for new ones; null if they leave enough.
    @OrNull package var warning: String?

    package init(files: Int64 = 0, bytes: Int64 = 0, warning: String? = nil) {
        (self.files, self.bytes) = (files, bytes)
        self.warning = warning
    }
}
