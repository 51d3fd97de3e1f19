import MediaTypes

/// A record of the file that a task read, and of the copy that the task encoded and verified. The task writes the
/// receipt before the copy gets its name. A source is deleted only with such a receipt. The receipt is sealed with the
/// key of the user who runs the plan (`RunKey`), so write access to a plan or its accounting is not enough to forge
/// one.
package struct TranscodeReceipt: Sendable, Hashable, Codable {
    /// The file that was read.
    package struct Source: Sendable, Hashable, Codable {
        /// The path as in the plan.
        package var path: String
        /// The device number (stat(2), `st_dev`). It can be compared only on the same machine during the same boot.
        package var device: UInt64
        package var boot: String
        package var inode: UInt64
        package var size: Int64
        /// Nanoseconds since 1970.
        package var modified: Int64
        /// The SHA-256 of the content, hexadecimal. It was computed while the file was read.
        package var hash: String

        package init(
            path: String, device: UInt64, boot: String, inode: UInt64, size: Int64, modified: Int64, hash: String
        ) {
            (self.path, self.device, self.boot, self.inode) = (path, device, boot, inode)
            (self.size, self.modified, self.hash) = (size, modified, hash)
        }
    }

    package var source: Source
    /// The copy's path, as in the plan.
    package var output: String
    package var fingerprint: String
    /// The copy's size in bytes.
    package var size: Int64
    package var hash: String
    /// Descriptions of what the copy lacks, one line each. A receipt of an earlier version does not have this key, and
    /// is not read: what its copy lacks is unknown.
    package var leftOut: [String]
    package var seal = ""

    package init(
        source: Source, output: String, fingerprint: String, size: Int64, hash: String, leftOut: [String] = []
    ) {
        (self.source, self.output, self.fingerprint) = (source, output, fingerprint)
        (self.size, self.hash, self.leftOut) = (size, hash, leftOut)
    }

    /// The bytes that the seal covers: every field, encoded so that different receipts never have the same bytes.
    var sealed: [UInt8] {
        let words = [
            "recorder archive receipt 2", source.path, "\(source.device)", source.boot, "\(source.inode)",
            "\(source.size)", "\(source.modified)", source.hash, output, fingerprint, "\(size)", hash,
        ]
        return Array((words + leftOut).joined(separator: "\0").utf8)
    }
}
