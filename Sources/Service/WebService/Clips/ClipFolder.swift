import FileSystem
import Foundation
import MediaTypes

/// The directory for the clips of one server process, below the server's own directory. A later server removes it once
/// this process has ended.
struct ClipFolder: Sendable {
    /// The directory of this process; created with the first clip.
    let path: String
    private let parent: String

    init(in state: String, process: pid_t = getpid()) {
        parent = state + "/cuts"
        path = "\(parent)/\(process)-\(String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16))"
    }

    /// Removes the directories of processes that have ended. Reads and writes the disk.
    func removeStale() {
        for name in FolderContents.names(in: parent) ?? [] {
            var kind = stat()
            // Only directories that this type creates: `PROCESS-NUMBER`, and not a link.
            guard let match = name.wholeMatch(of: /([0-9]{1,10})-[0-9a-f]{8}/), let process = pid_t(match.1),
                lstat("\(parent)/\(name)", &kind) == 0, kind.st_mode & S_IFMT == S_IFDIR, !Self.isRunning(process)
            else { continue }
            FolderContents.removeAll("\(parent)/\(name)")
        }
    }

    /// Returns true if a process is running, even one of another user (kill(2)).
    private static func isRunning(_ process: pid_t) -> Bool { kill(process, 0) == 0 || errno != ESRCH }

    /// Creates a directory for one clip. Writes to the disk.
    func make() throws(MediaError) -> String {
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
