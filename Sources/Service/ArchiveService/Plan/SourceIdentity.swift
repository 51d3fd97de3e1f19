import Foundation
import Glibc
package import MediaTypes

/// Identifies the file of a planned movie. A file that was rewritten, replaced or restored has a different identity.
package struct SourceIdentity: Sendable, Hashable {
    package var size: Int64
    /// The modification time in nanoseconds since 1970.
    package var modified: Int64
    package var inode: UInt64
    /// The SHA-256 of the entire file, hexadecimal; nil if the plan was made without hashes.
    package var hash: String?

    package init(size: Int64, modified: Int64, inode: UInt64, hash: String? = nil) {
        (self.size, self.modified, self.inode, self.hash) = (size, modified, inode, hash)
    }

    init(_ facts: stat) {
        self.init(
            size: Int64(facts.st_size),
            modified: Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec),
            inode: UInt64(facts.st_ino))
    }

    /// The modification time, rounded down to full seconds because movies store full seconds.
    var date: Date { Date(timeIntervalSince1970: (Double(modified) / 1e9).rounded(.down)) }

    /// Returns true if the metadata is that of the planned file.
    func isSame(_ facts: stat) -> Bool {
        let other = SourceIdentity(facts)
        return FileMetadata.isFile(facts) && (other.size, other.modified, other.inode) == (size, modified, inode)
    }

    /// Reads the entire file and returns its hash.
    package static func hash(of path: RawPath) throws(MediaError) -> String { try HeldFile(path).hash() }
}
