public import Foundation
import MediaTypes

/// Where running capture processes keep their sockets and locks: a directory that only its owner can enter.
public struct RuntimeDirectory: Sendable, Hashable {
    public let path: String

    public init(path: String) { self.path = path }

    /// `$XDG_RUNTIME_DIR/recorder`; for root without one `/run/recorder`; else `/tmp/recorder-UID`.
    public init(
        environment: [String: String] = ProcessInfo.processInfo.environment, user: uid_t = getuid(),
        isDirectory: (String) -> Bool = { access($0, W_OK | X_OK) == 0 }
    ) {
        if let base = environment["XDG_RUNTIME_DIR"], base.hasPrefix("/"), isDirectory(base) {
            path = base + "/recorder"
        } else if user == 0, isDirectory("/run") {
            path = "/run/recorder"
        } else {
            path = "/tmp/recorder-\(user)"
        }
    }

    func socket(_ name: RecordingName) -> String { "\(path)/\(name).sock" }
    func lock(_ name: RecordingName) -> String { "\(path)/\(name).lock" }

    /// Creates it if need be, with mode 0700, and makes sure that it is ours and nobody else's.
    ///
    /// `/tmp` is everybody's: a directory of another owner, one that others can enter, or a link is refused.
    func prepare() throws(MediaError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw MediaError(
                errno: errno, "cannot create \(path)", wayOut: "set XDG_RUNTIME_DIR to a directory of yours")
        }
        var kind = stat()
        guard lstat(path, &kind) == 0 else { throw MediaError(errno: errno, "cannot use \(path)") }
        guard kind.st_mode & S_IFMT == S_IFDIR, kind.st_uid == geteuid() else {
            throw MediaError(
                .notPermitted, "cannot use \(path)", reason: "it is not a directory of this user",
                wayOut: "set XDG_RUNTIME_DIR to a directory of yours")
        }
        if kind.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 { throw MediaError(errno: errno, "cannot close \(path)") }
    }

    /// The names whose process is alive: whose lock is held. Sorted.
    public func running() -> [RecordingName] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix(".lock") }
            .compactMap { try? RecordingName(parsing: String($0.dropLast(".lock".count))) }
            .filter { InstanceLock.isHeld(at: lock($0)) }
            .sorted { $0.description < $1.description }
    }
}
