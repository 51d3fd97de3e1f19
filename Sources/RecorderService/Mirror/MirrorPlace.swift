import CommandInterface
import Foundation
import MediaTypes
import RealTime

/// A directory on another disk in which every file stands a second time, and what is known of both disks. Any thread; what touches a
/// disk says so.
final class MirrorPlace: Sendable {
    /// Absolute.
    let directory: String
    private let freeSpace: @Sendable (String) -> Int64?
    /// Where the file systems of directories were mounted.
    private let mounts = Locked<[String: String]>([:])

    init(_ directory: String, freeSpace: @escaping @Sendable (String) -> Int64?) {
        self.directory = directory
        self.freeSpace = freeSpace
    }

    /// Where the second copy of a file goes: as far below this directory as the first one is below that of its pattern.
    func location(of first: OutputLocation) -> OutputLocation {
        let base = first.root ?? first.directory
        let relative = first.path.dropFirst(base.count).drop { $0 == "/" }
        return OutputLocation(
            path: (directory as NSString).appendingPathComponent(String(relative)), root: directory,
            overwrites: first.overwrites)
    }

    /// Makes the directories of a file, as far as that is ours to do. Touches its disk.
    ///
    /// - Parameter make: makes them.
    /// - Throws: also where the disk that was there is not mounted: what would be made then lies beneath it.
    func prepare(
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
                wayOut: "mount the disk; the recording goes on with the other one")
        }
        do throws(MediaError) { try make(location) } catch {
            // Whether the name is free is seen by taking it.
            guard error.code == .outputExists else { throw error }
        }
    }

    /// Why no more should be written beside a file: its disk has no more than the reserve. Touches the disk.
    func refusal(beside path: String, reserve: Int64) -> MediaError? {
        let directory = (path as NSString).deletingLastPathComponent
        return DiskWatch(reserve: reserve).refusal(free: freeSpace(directory), in: directory)
    }
}
