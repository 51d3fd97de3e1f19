import FileSystem
import Foundation
import MediaTypes
import RealTime

/// The directory for the clips of one server process, below the server's own directory. A later server removes it once
/// this process has ended.
///
/// The process holds a lock on the directory (flock(2)), which ends with the process. Its number would prove nothing: a
/// later process may have the same number, as always in a container.
struct ClipFolder: Sendable {
    /// The directory of this process; created with the first clip.
    let path: String
    private let parent: String
    private let lock = FolderLock()

    init(in state: String, process: pid_t = getpid()) {
        parent = state + "/cuts"
        path = "\(parent)/\(process)-\(String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16))"
    }

    /// Removes the directories of processes that have ended. Reads and writes the disk.
    func removeStale() {
        for name in FolderContents.names(in: parent) ?? [] {
            // Only directories that this type creates: `PROCESS-NUMBER`, and not a link.
            let place = "\(parent)/\(name)"
            guard name.contains(/^[0-9]{1,10}-[0-9a-f]{8}$/), place != path else { continue }
            let descriptor = FolderLock.openDirectory(place)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { FolderContents.removeAll(place) }
        }
    }

    /// Creates a directory for one clip. Writes to the disk.
    func make() throws(MediaError) -> String {
        if FolderContents.create(path, mode: 0o700) == 0 { lock.take(path) }
        let place = path + "/" + UUID().uuidString
        let code = FolderContents.create(place, mode: 0o700)
        guard code == 0 else {
            let cause = MediaError(errno: code, "cannot create a directory for the clip")
            throw MediaError(.cannotCreate, cause.action, reason: cause.reason, underlying: cause.underlying)
        }
        return place
    }

    /// Opens the finished clip and unlinks its name. No file is then left over, however this process ends.
    func adopt(_ file: String, in place: String, named name: String) throws(MediaError) -> OpenRecordingFile {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw MediaError(errno: errno, "cannot open the clip") }
        discard(place)
        return OpenRecordingFile(descriptor, name: name)
    }

    func discard(_ place: String) { FolderContents.removeAll(place) }
}

/// The lock of a directory, until the last reference is released.
private final class FolderLock: Sendable {
    private let descriptor = Locked<Int32>(-1)

    deinit {
        let descriptor = descriptor.withLock { $0 }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Locks a directory, unless this object holds a lock already. Without a lock, as on some network file systems, the
    /// directory is used nevertheless.
    func take(_ path: String) {
        descriptor.withLock { descriptor in
            guard descriptor < 0 else { return }
            descriptor = Self.openDirectory(path)
            if descriptor >= 0 { _ = flock(descriptor, LOCK_SH | LOCK_NB) }
        }
    }

    /// Opens a directory, but not through a link.
    static func openDirectory(_ path: String) -> Int32 {
        open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    }
}
