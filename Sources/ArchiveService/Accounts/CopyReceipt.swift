import MediaTypes

/// What a task writes down about a copy that it encoded and verified, before the copy gets its name: which file was read, and which
/// bytes came of it. A source is deleted only on such a receipt. The seal is made with the key of the user who runs the plan
/// (`RunKey`): whoever writes a plan, or the accounting, cannot make one.
package struct CopyReceipt: Sendable, Hashable, Codable {
    /// The file that was read.
    package struct Source: Sendable, Hashable, Codable {
        /// As in the plan.
        package var path: String
        /// Good for comparisons on the same machine until its next boot only (stat(2), `st_dev`).
        package var device: UInt64
        package var boot: String
        package var inode: UInt64
        package var size: Int64
        /// Nanoseconds since 1970.
        package var modified: Int64
        /// SHA-256 of the content, taken while it was read; hexadecimal.
        package var hash: String

        package init(
            path: String, device: UInt64, boot: String, inode: UInt64, size: Int64, modified: Int64, hash: String
        ) {
            (self.path, self.device, self.boot, self.inode) = (path, device, boot, inode)
            (self.size, self.modified, self.hash) = (size, modified, hash)
        }
    }

    package var source: Source
    /// Where the copy is, as in the plan.
    package var output: String
    package var fingerprint: String
    /// Of the copy.
    package var size: Int64
    package var hash: String
    package var seal = ""

    package init(source: Source, output: String, fingerprint: String, size: Int64, hash: String) {
        (self.source, self.output, self.fingerprint) = (source, output, fingerprint)
        (self.size, self.hash) = (size, hash)
    }

    /// What the seal is made of: every field, and no two receipts alike.
    var sealed: [UInt8] {
        let words = [
            "recorder archive receipt 1", source.path, "\(source.device)", source.boot, "\(source.inode)",
            "\(source.size)", "\(source.modified)", source.hash, output, fingerprint, "\(size)", hash,
        ]
        return Array(words.joined(separator: "\0").utf8)
    }
}
