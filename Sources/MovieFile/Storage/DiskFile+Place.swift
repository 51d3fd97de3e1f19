import FileSystem
import Glibc
package import MediaTypes

/// Where an open file is by now: its owner may delete or move it, or a directory above it, at any moment.
extension DiskFile {
    package enum Place: Sendable, Hashable {
        /// A path that leads to this very file.
        case named(String)
        /// It has a name, and no path of ours leads there: on a disk that was taken away, say.
        case unreachable
        /// No directory names it any more: it ends when it is closed.
        case deleted
    }

    /// What tells a file from every other one of the moment; for one that is open, or was until now.
    package struct Identity: Sendable, Hashable {
        private let device: UInt64
        private let inode: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }

        init(_ facts: CheckedRemoval.Facts) { (device, inode) = (facts.device, facts.inode) }

        /// Of what has this name; a link itself, not what it points to. nil: nothing has.
        package init?(of path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            self.init(status)
        }

        /// For names that belong to one file.
        var text: String { String(inode, radix: 36) }
    }

    /// nil for one that is closed.
    package var identity: Identity? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Identity(status) : nil
    }

    /// Looks. Where nobody can say, it is where it was.
    package var place: Place {
        var own = stat()
        guard fstat(descriptor, &own) == 0 else { return errno == ESTALE ? .deleted : lastPlace }
        var named = stat()
        let isThere = lstat(path, &named) == 0
        // First of all: some file systems count no links.
        if isThere, Identity(named) == Identity(own) { return .named(path) }
        guard own.st_nlink > 0 else { return .deleted }
        guard isThere || errno == ENOENT || errno == ENOTDIR else { return lastPlace }
        guard let link = kernelPath else { return .unreachable }
        // Some file systems give the same file another number now and then; its name the kernel knows.
        if isThere, link == openedAs { return .named(path) }
        // NFS keeps what was deleted under such a name until it is closed.
        if link.split(separator: "/").last?.hasPrefix(".nfs") == true { return .deleted }
        return Identity(of: link) == Identity(own) ? .named(link) : .unreachable
    }

    /// What proc(5) calls the open file; nil where there is no /proc.
    var kernelPath: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            let count = readlink("/proc/self/fd/\(descriptor)", buffer.baseAddress!, Int(PATH_MAX))
            guard count > 0 else { return nil }
            return PathText.text(buffer.prefix(count).map(UInt8.init(bitPattern:)))
        }
    }

    /// - Throws: `notFound` once it was deleted.
    func lookForPlace() throws(MediaError) {
        let place = place
        guard place != .deleted else { throw Self.deletion(of: path) }
        guard place != lastPlace else { return }
        lastPlace = place
        if case .named(let path) = place { whenMoved?(path) } else { whenMoved?(nil) }
    }

    package static func deletion(of path: String) -> MediaError {
        MediaError(
            .notFound, "cannot go on with \(path)", reason: "it was deleted while it was written",
            underlying: .errno(ENOENT))
    }
}
