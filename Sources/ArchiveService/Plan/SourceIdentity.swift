import Foundation
import Glibc
package import MediaTypes

/// Which film a plan means by a path: one that was written again, replaced or restored is another one.
package struct SourceIdentity: Sendable, Hashable {
    package var size: Int64
    /// Nanoseconds of the modification time since 1970.
    package var modified: Int64
    package var inode: UInt64
    /// SHA-256 of the whole file, hexadecimal; nil where the plan was made without.
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

    /// When it was changed, in whole seconds, as a movie counts them.
    var date: Date { Date(timeIntervalSince1970: (Double(modified) / 1e9).rounded(.down)) }

    /// Whether this is the file, as far as can be told without reading it.
    func isSame(_ facts: stat) -> Bool {
        let other = SourceIdentity(facts)
        return FileFacts.isFile(facts) && (other.size, other.modified, other.inode) == (size, modified, inode)
    }

    /// Reads it as a whole.
    package static func hash(of path: RawPath) throws(MediaError) -> String { try HeldFile(path).hash() }
}
