import FileSystem
import Foundation

/// Finds the mount point of a directory.
package enum MountPoint {
    /// Returns the topmost directory above this one on the same file system. For a missing directory, the search begins
    /// at the nearest existing directory above it.
    package static func path(of directory: String) -> String {
        var path = directory
        var device = device(of: path)
        while device == nil, path.count > 1 {
            path = path.parentDirectory
            device = self.device(of: path)
        }
        while path.count > 1 {
            let parent = path.parentDirectory
            guard self.device(of: parent) == device else { break }
            path = parent
        }
        return path
    }

    /// Returns the mount point of a directory; nil if the directory does not exist.
    static func present(of directory: String) -> String? { device(of: directory) == nil ? nil : path(of: directory) }

    /// Returns the file system that is mounted at a path; nil without one.
    static func mounted(_ path: String) -> UInt64? {
        guard let device = device(of: path) else { return nil }
        guard path.count > 1 else { return device }
        return self.device(of: path.parentDirectory) == device ? nil : device
    }

    /// Returns the file system of a directory; nil if it does not exist.
    ///
    /// Only for directories: on an overlay a file's device differs (the kernel's overlayfs.rst, "Inode properties").
    package static func device(of path: String) -> UInt64? {
        var kind = stat()
        return stat(path, &kind) == 0 && kind.st_mode & S_IFMT == S_IFDIR ? UInt64(kind.st_dev) : nil
    }
}
