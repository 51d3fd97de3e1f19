import FileSystem
import Foundation

/// Where the file system of a directory begins.
enum MountPoint {
    /// The topmost directory above it that is on the same file system. Of a directory that is not there, that of the next
    /// one above it that is.
    static func path(of directory: String) -> String {
        var path = directory
        var device = device(of: path)
        while device == nil, path.count > 1 {
            path = (path as NSString).deletingLastPathComponent
            device = self.device(of: path)
        }
        while path.count > 1 {
            let parent = (path as NSString).deletingLastPathComponent
            guard self.device(of: parent) == device else { break }
            path = parent
        }
        return path
    }

    /// The file system that is mounted there; nil when none is.
    static func mounted(_ path: String) -> UInt64? {
        guard let device = device(of: path) else { return nil }
        guard path.count > 1 else { return device }
        return self.device(of: (path as NSString).deletingLastPathComponent) == device ? nil : device
    }

    /// The file system that a directory is on; nil when there is none.
    ///
    /// A directory's, never a file's: on an overlay the two differ (the kernel's overlayfs.rst, "Inode properties").
    static func device(of path: String) -> UInt64? {
        var kind = stat()
        return stat(path, &kind) == 0 && kind.st_mode & S_IFMT == S_IFDIR ? UInt64(kind.st_dev) : nil
    }
}
