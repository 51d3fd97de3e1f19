import CommandInterface
import FileSystem
import Foundation
package import MediaTypes
import RealTime

/// A directory on another disk for the mirrored files, and the known state of both disks. Thread-safe.
/// Methods that access a disk are marked.
package final class MirrorPlace: Sendable {
    /// The absolute path of the directory.
    package let directory: String
    private let freeSpace: @Sendable (String) -> Int64?
    /// The mount point of each directory when its disk was last mounted, by the path of the directory.
    private let mounts = Locked<[String: String]>([:])

    package init(_ directory: String, freeSpace: @escaping @Sendable (String) -> Int64?) {
        self.directory = directory
        self.freeSpace = freeSpace
    }

    /// Returns the location of the second mirrored file. Its path relative to this directory equals the path of the
    /// first mirrored file relative to the pattern's directory.
    package func location(of first: OutputLocation) -> OutputLocation {
        let base = first.root ?? first.directory
        let relative = first.path.dropFirst(base.count).drop { $0 == "/" }
        return OutputLocation(
            path: directory.appendingComponent(String(relative)), root: directory,
            overwrites: first.overwrites)
    }

    /// Creates the missing directories above a file, where the recorder may create them. Accesses the file's disk.
    ///
    /// - Parameter make: Creates the directories.
    /// - Throws: The errors of `make`; also an error if the disk is not mounted. The directories would then be created
    ///   on another disk, below the mount point.
    package func prepare(
        _ location: OutputLocation, _ make: (OutputLocation) throws(MediaError) -> Void
    ) throws(MediaError) {
        let base = location.root ?? location.directory
        let mount = MountPoint.path(of: base)
        let known = mounts.withLock { mounts in
            if mount.count >= mounts[base]?.count ?? 0 { mounts[base] = mount }
            return mounts[base] ?? mount
        }
        guard mount == known else {
            throw MediaError(
                .notFound, "cannot write to \(base)", reason: "nothing is mounted at \(known)",
                underlying: .errno(ENODEV),
                wayOut: "mount the disk; the recording continues on the other one")
        }
        do throws(MediaError) { try make(location) } catch {
            // Creating the file shows whether the name is free.
            guard error.code == .outputExists else { throw error }
        }
    }

    /// Returns the reason why nothing more should be written next to a file; nil if there is none. The usual reason is
    /// a disk on which only the reserve is free. Accesses the disk.
    package func refusal(beside path: String, reserve: Int64) -> MediaError? {
        let directory = path.parentDirectory
        return DiskWatch(reserve: reserve).refusal(free: freeSpace(directory), in: directory)
    }
}
