import FileSystem
package import Foundation
import MediaTypes

/// Where running capture processes keep their sockets and locks: a directory that only its owner can enter, or of a
/// service its group too.
package struct RuntimeDirectory: Sendable, Hashable {
    package let path: String
    /// What others may not do there.
    private var forbidden: mode_t = 0o077

    package init(path: String) { self.path = path }

    /// `$RECORDER_RUNTIME_DIRECTORY`, which the service's unit sets; else `$XDG_RUNTIME_DIR/recorder`; for root without
    /// one `/run/recorder`; else `/tmp/recorder-UID`.
    ///
    /// - Parameters:
    ///   - isDirectory: whether this user may create something there.
    ///   - isOpen: whether this user may look for something there: a member of a recording's control group may in the
    ///     owner's directory, without any right beside it.
    package init(
        environment: [String: String] = ProcessInfo.processInfo.environment, user: uid_t = getuid(),
        isDirectory: (String) -> Bool = { access($0, W_OK | X_OK) == 0 },
        isOpen: (String) -> Bool = { access($0, R_OK | X_OK) == 0 }
    ) {
        if let directory = environment["RECORDER_RUNTIME_DIRECTORY"], directory.hasPrefix("/") {
            path = directory
            // Made by systemd, for the group as the unit says.
            forbidden = 0o027
        } else if let base = environment["XDG_RUNTIME_DIR"], base.hasPrefix("/"),
            isDirectory(base) || isOpen(base + "/recorder")
        {
            path = base + "/recorder"
        } else if user == 0, isDirectory("/run") {
            path = "/run/recorder"
        } else {
            path = "/tmp/recorder-\(user)"
        }
    }

    func socket(_ name: RecordingName) -> String { "\(path)/\(name).sock" }
    /// Where it is only looked at. Not `NAME.live.sock`, which another recorder may have: one called `NAME.live`.
    func liveSocket(_ name: RecordingName) -> String { "\(path)/\(name).live" }
    func lock(_ name: RecordingName) -> String { "\(path)/\(name).lock" }
    /// Held by the process that copies its recordings, and what that does at this moment.
    func copierLock(_ name: RecordingName) -> String { "\(path)/\(name).copying" }
    func copierState(_ name: RecordingName) -> String { "\(path)/\(name).copying.json" }

    /// Creates it if need be, with mode 0700, and makes sure that it is ours and nobody else's.
    ///
    /// `/tmp` is everybody's: a directory of another owner, one that others can enter, or a link is refused.
    ///
    /// - Parameter group: its members may enter and look (0750). Without one the directory is closed to every group, unless
    ///   another recording that runs has opened it: what is in it has modes of its own.
    /// - Parameter isPassed: everybody may pass through, and sees nothing (0751): somebody else than that group has a socket in
    ///   it.
    func prepare(for group: ControlGroup? = nil, isPassed: Bool = false) throws(MediaError) {
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
        let isInUse = kind.st_mode & 0o7776 == 0o750 && !running().isEmpty
        guard let group else {
            if kind.st_mode & forbidden != 0, !isInUse, chmod(path, 0o700) != 0 {
                throw MediaError(errno: errno, "cannot close \(path)")
            }
            return
        }
        let action = "cannot open \(path) to the group \(group.name)"
        guard !isInUse || kind.st_gid == group.id else {
            throw MediaError(
                .busy, action, reason: "a recording that runs has opened it to another group",
                wayOut: "use one group for all recordings of a user, or set XDG_RUNTIME_DIR to another directory")
        }
        if let obstacle = group.obstacle(above: path) {
            throw MediaError(
                .invalidSettings, action, reason: "its members cannot enter \(obstacle)",
                wayOut: "set XDG_RUNTIME_DIR to a directory that they can, as /run of a system service")
        }
        // What another recording that runs has opened stays open.
        try group.open(path, mode: isPassed || isInUse && kind.st_mode & 0o001 != 0 ? 0o751 : 0o750)
    }

    /// The names whose process is alive: whose lock is held. Sorted. None in a directory that is not believed.
    package func running() -> [RecordingName] {
        guard (try? owner()) != nil else { return [] }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix(".lock") }
            .compactMap { try? RecordingName(parsing: String($0.dropLast(".lock".count))) }
            .filter(isRunning)
            .sorted { $0.description < $1.description }
    }

    /// Whether the process of that name is alive. A lock is its owner's alone: others ask the socket.
    package func isRunning(_ name: RecordingName) -> Bool {
        InstanceLock.isHeld(at: lock(name)) ?? SocketAddress.isListening(socket(name))
    }

    /// The number of the process that has the name; nil when nobody says.
    package func processID(_ name: RecordingName) -> Int32? { InstanceLock.owner(lock(name)) }
}
