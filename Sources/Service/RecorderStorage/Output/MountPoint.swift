import CLinux
import FileSystem
import Foundation

/// Finds the mount point of a directory, and its disk.
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

    /// Returns a name of the disk that a directory is on, which stays the same after a boot; nil if it is unknown.
    ///
    /// FAT and old kernels have no such name, except for ext4 and Btrfs. The form depends on the kernel: a name shows
    /// only if its beginning up to the colon is the same that two disks differ.
    static func disk(of directory: String) -> String? {
        let file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var uuid = [UInt8](repeating: 0, count: 16)
        let count = Int(clinux_file_system_uuid(file, &uuid))
        if uuid.prefix(count).contains(where: { $0 != 0 }) {
            return "uuid:" + uuid.prefix(count).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        let id = clinux_file_system_id(file)
        return id == 0 ? nil : "fsid:" + String(id, radix: 16)
    }

    /// Returns true if two names certainly belong to different disks.
    static func areDifferent(_ disk: String?, _ other: String?) -> Bool {
        guard let disk, let other, disk != other else { return false }
        return disk.prefix { $0 != ":" } == other.prefix { $0 != ":" }
    }

    /// Returns the file system of a directory; nil if it does not exist.
    ///
    /// Only for directories: on an overlay a file's device differs (the kernel's overlayfs.rst, "Inode properties").
    package static func device(of path: String) -> UInt64? {
        var kind = stat()
        return stat(path, &kind) == 0 && kind.st_mode & S_IFMT == S_IFDIR ? UInt64(kind.st_dev) : nil
    }
}
