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
    private let catalogues: [RecordingCatalogue]
    private let freeSpace: @Sendable (String) -> Int64?
    /// The mount point of each directory when its disk was last mounted, by the path of the directory.
    private let mounts = Locked<[String: String]>([:])

    /// Creates the place of the mirrored files.
    ///
    /// - Parameters:
    ///   - catalogues: The catalogues of both disks. They have the mount points that earlier processes found.
    ///   - freeSpace: Returns the free bytes on the file system of a directory.
    package init(
        _ directory: String, catalogues: [RecordingCatalogue] = [], freeSpace: @escaping @Sendable (String) -> Int64?
    ) {
        self.directory = directory
        self.catalogues = catalogues
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

    /// Returns the two mirrored files of a recording. Accesses both disks.
    package func recording(of first: OutputLocation) -> MirroredRecording {
        MirroredRecording(first, location(of: first), mountPoint: mountPoint(of:))
    }

    /// Checks that the disk of a file is mounted, and that the file can be created. Accesses the disk.
    package func check(_ location: OutputLocation) throws(MediaError) {
        try checkMount(location)
        try location.check()
    }

    /// Creates the missing directories above a file, where the recorder may create them. Accesses the file's disk.
    ///
    /// - Parameter make: Creates the directories.
    /// - Throws: The errors of `make`; also an error if the disk is not mounted. The directories would then be created
    ///   on another disk, below the mount point.
    package func prepare(
        _ location: OutputLocation, _ make: (OutputLocation) throws(MediaError) -> Void
    ) throws(MediaError) {
        try checkMount(location)
        do throws(MediaError) { try make(location) } catch {
            // Creating the file shows whether the name is free.
            guard error.code == .outputExists else { throw error }
        }
    }

    private func checkMount(_ location: OutputLocation) throws(MediaError) {
        let base = location.root ?? location.directory
        guard let known = mountPoint(of: base), known != MountPoint.path(of: base) else { return }
        throw MediaError(
            .notFound, "cannot write to \(base)", reason: "nothing is mounted at \(known)", underlying: .errno(ENODEV),
            wayOut: "mount the disk; to record without it, choose another directory")
    }

    /// Returns the mount point of a directory's disk, even if this disk is not mounted now. Accesses the disk.
    ///
    /// - Returns: nil if the directory does not exist, and no recording was ever made in it.
    private func mountPoint(of directory: String) -> String? {
        var known = mounts.withLock { $0[directory] } ?? earlierMountPoint(of: directory)
        // The directory was on the disk of its parent, and has its own disk now.
        if let present = MountPoint.present(of: directory), present.count >= known?.count ?? 0 { known = present }
        if let known { mounts.withLock { $0[directory] = known } }
        return known
    }

    /// Returns the mount point of a directory's disk in the catalogues. If there are several, the deepest one counts,
    /// because files may have been stored below an empty mount point.
    private func earlierMountPoint(of directory: String) -> String? {
        let places = catalogues.flatMap { (try? $0.places()) ?? [] }.filter { $0.directory == directory }
        // Another file system may be mounted below the directory.
        return places.map(\.mount).filter { (directory + "/").hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
            .max { $0.count < $1.count }
    }

    /// Returns the reason why nothing more should be written next to a file; nil if there is none. The usual reason is
    /// a disk on which only the reserve is free. Accesses the disk.
    package func refusal(beside path: String, reserve: Int64) -> MediaError? {
        let directory = path.parentDirectory
        return DiskWatch(reserve: reserve).refusal(free: freeSpace(directory), in: directory)
    }
}
