import FileSystem
import Glibc
import MediaTypes

/// Traverses directories. The entries of each directory are sorted by the bytes of their names, with files before
/// subdirectories, so that the order is the same on every machine. Only the names in the directories on the current
/// path are kept in memory.
///
/// Links are not followed. Following a link to a parent directory would never end, and other links would give a movie
/// two names.
struct DirectoryWalk {
    enum Entry {
        /// A regular file.
        case file(RawPath, stat)
        case skipped(RawPath, String)
    }

    /// The device and inode of the directory that is left out: the output, which may be inside the source directory.
    private let leftOut: (device: dev_t, inode: ino_t)?

    init(leavingOut directory: RawPath? = nil) {
        leftOut = directory.flatMap { FileMetadata.of($0) }.map { ($0.st_dev, $0.st_ino) }
    }

    /// Traverses a directory.
    ///
    /// - Throws: An error if the directory itself cannot be read. A subdirectory that cannot be read is reported as
    ///   skipped.
    func walk(_ directory: RawPath, _ take: (Entry) throws(MediaError) -> Void) throws(MediaError) {
        let names = try Self.names(directory)
        var directories: [RawPath] = []
        for name in names {
            let path = directory.appending(name)
            guard name.first != UInt8(ascii: ".") else {
                try take(.skipped(path, "it is hidden"))
                continue
            }
            let facts: stat
            do throws(MediaError) { facts = try FileMetadata.of(path, "cannot read \(path.display)") } catch {
                // A file that was deleted meanwhile is not reported.
                if error.code != .notFound { try take(.skipped(path, "it cannot be read: \(error.reason)")) }
                continue
            }
            switch facts.st_mode & S_IFMT {
            case S_IFREG: try take(.file(path, facts))
            case S_IFDIR: directories.append(path)
            case S_IFLNK: try take(.skipped(path, "it is a link"))
            default: try take(.skipped(path, "it is not an ordinary file"))
            }
        }
        for path in directories {
            if let leftOut, let facts = FileMetadata.of(path), facts.st_dev == leftOut.device,
                facts.st_ino == leftOut.inode
            {
                continue
            }
            var isOpen = false
            do throws(MediaError) {
                try walk(path) { entry throws(MediaError) in
                    isOpen = true
                    try take(entry)
                }
            } catch {
                // After the first entry of the subdirectory, only `take` can have thrown the error.
                guard !isOpen else { throw error }
                try take(.skipped(path, "it cannot be read: \(error.reason)"))
            }
        }
    }

    private static func names(_ directory: RawPath) throws(MediaError) -> [[UInt8]] {
        guard let stream = directory.withCString({ opendir($0) }) else {
            throw MediaError(errno: errno, "cannot read \(directory.display)")
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = FolderContents.next(in: stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: UInt8.self, capacity: MemoryLayout.size(ofValue: field.pointee)) { start in
                    let count = strnlen(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), 256)
                    return Array(UnsafeBufferPointer(start: start, count: count))
                }
            }
            if name != [UInt8(ascii: ".")], name != Array("..".utf8) { names.append(name) }
        }
        // If reading fails in the middle, the plan would lack movies.
        guard errno == 0 else { throw MediaError(errno: errno, "cannot read \(directory.display)") }
        names.sort { $0.lexicographicallyPrecedes($1) }
        return names
    }
}
