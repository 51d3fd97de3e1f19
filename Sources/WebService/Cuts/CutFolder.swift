import FileSystem
import Foundation
import MediaTypes

/// Where cuts are made: a directory of this process below the server's own, which whoever comes later clears away when the
/// process is gone.
struct CutFolder: Sendable {
    /// Of this process; made when the first cut is.
    let path: String
    private let parent: String

    init(in state: String, process: pid_t = getpid()) {
        parent = state + "/cuts"
        path = "\(parent)/\(process)-\(String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16))"
    }

    /// Removes what processes left here that are no more. Touches the disk.
    func removeStale() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
            var kind = stat()
            // Only what this very type makes: `PROCESS-NUMBER`, and no link.
            guard let match = name.wholeMatch(of: /([0-9]{1,10})-[0-9a-f]{8}/), let process = pid_t(match.1),
                lstat("\(parent)/\(name)", &kind) == 0, kind.st_mode & S_IFMT == S_IFDIR, !Self.isRunning(process)
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
        }
    }

    /// kill(2): a process of somebody else is one too.
    private static func isRunning(_ process: pid_t) -> Bool { kill(process, 0) == 0 || errno != ESRCH }

    /// A new directory for one cut. Touches the disk.
    func make() throws(MediaError) -> String {
        let place = path + "/" + UUID().uuidString
        do {
            try FileManager.default.createDirectory(
                atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw MediaError(.cannotCreate, "cannot make room for a cut", reason: "\(error.localizedDescription)")
        }
        return place
    }

    /// Opens what was made, and takes its name away: nothing has to be cleared up however this process ends.
    func adopt(_ file: String, in place: String, named name: String) throws(MediaError) -> RecordingFile {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw MediaError(errno: errno, "cannot open the cut") }
        discard(place)
        return RecordingFile(descriptor, name: name)
    }

    func discard(_ place: String) { try? FileManager.default.removeItem(atPath: place) }
}
