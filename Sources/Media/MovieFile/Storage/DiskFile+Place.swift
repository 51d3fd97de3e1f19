import FileSystem
import Glibc
package import MediaTypes

/// The current path of an open file. The user may delete or move the file, or a directory above it, at any time.
extension DiskFile {
    package enum Place: Sendable, Hashable {
        /// A path that leads to this file.
        case named(String)
        /// The file has a name, but no known path leads to it, for example on a disk that was unmounted.
        case unreachable
        /// No directory has a name for the file, so it disappears when it is closed.
        case deleted
    }

    /// Distinguishes a file from all other existing ones. Valid while the file is open.
    package struct Identity: Sendable, Hashable {
        private let device: UInt64
        private let inode: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }

        init(_ facts: CheckedRemoval.Candidate) { (device, inode) = (facts.device, facts.inode) }

        /// The identity of the file with this name; nil if there is none. A link has its own identity, not that of its
        /// target.
        package init?(of path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            self.init(status)
        }

        /// The identity as text, for the name of another file that belongs to this one.
        var text: String { String(inode, radix: 36) }
    }

    /// The file's identity; nil for a closed file.
    package var identity: Identity? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Identity(status) : nil
    }

    /// The time of the last change in nanoseconds since 1970; nil for a closed file.
    package var modified: Int64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? CheckedRemoval.Candidate(status).modified : nil
    }

    /// The file's current place; the last known one if it cannot be determined.
    package var place: Place {
        var own = stat()
        guard fstat(descriptor, &own) == 0 else { return errno == ESTALE ? .deleted : lastPlace }
        var named = stat()
        let isThere = lstat(path, &named) == 0
        // Checked first, because some file systems do not count links.
        if isThere, Identity(named) == Identity(own) { return .named(path) }
        guard own.st_nlink > 0 else { return .deleted }
        guard isThere || errno == ENOENT || errno == ENOTDIR else { return lastPlace }
        guard let link = kernelPath else { return .unreachable }
        // Some file systems change a file's inode number now and then. The kernel's path of the file then identifies
        // it.
        if isThere, link == openedAs { return .named(path) }
        // NFS keeps a deleted file under a name that begins with `.nfs` until the file is closed.
        if link.split(separator: "/").last?.hasPrefix(".nfs") == true { return .deleted }
        return Identity(of: link) == Identity(own) ? .named(link) : .unreachable
    }

    /// The path of the open file according to proc(5); nil if there is no /proc.
    var kernelPath: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            let count = readlink("/proc/self/fd/\(descriptor)", buffer.baseAddress!, Int(PATH_MAX))
            guard count > 0 else { return nil }
            return PathText.text(buffer.prefix(count).map(UInt8.init(bitPattern:)))
        }
    }

    /// Checks where the file is now, and calls `whenMoved` if it was moved.
    ///
    /// - Throws: `notFound` if it was deleted.
    func lookForPlace() throws(MediaError) {
        let place = place
        guard place != .deleted else { throw Self.deletion(of: path) }
        guard place != lastPlace else { return }
        lastPlace = place
        if case .named(let path) = place { whenMoved?(path) } else { whenMoved?(nil) }
    }

    package static func deletion(of path: String) -> MediaError {
        MediaError(
            .notFound, "cannot continue \(path)", reason: "it was deleted while it was being written",
            underlying: .errno(ENOENT))
    }
}
