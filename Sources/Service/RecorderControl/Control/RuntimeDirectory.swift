import FileSystem
package import Foundation
package import MediaTypes
package import RecorderStorage

/// The directory with the sockets and locks of running capture processes. Only its owner can enter it. If there is a
/// control group, the group's members can enter it too.
package struct RuntimeDirectory: Sendable, Hashable {
    package let path: String
    /// The permission bits that other users must not have.
    private var forbidden: mode_t = 0o077

    package init(path: String) { self.path = path }

    /// Chooses the first possible directory from this list: `$RECORDER_RUNTIME_DIRECTORY`, which the service's unit
    /// sets; `$XDG_RUNTIME_DIR/recorder`; for root, `/run/recorder`; `/tmp/recorder-UID`.
    ///
    /// - Parameters:
    ///   - isDirectory: Returns true if this user may create files in a directory.
    ///   - isOpen: Returns true if this user may enter a directory. A member of a recording's control group may enter
    ///     the owner's directory, even without rights for the directories above it.
    package init(
        environment: [String: String] = ProcessText.environment, user: uid_t = getuid(),
        isDirectory: (String) -> Bool = { access($0, W_OK | X_OK) == 0 },
        isOpen: (String) -> Bool = { access($0, R_OK | X_OK) == 0 }
    ) {
        if let directory = environment["RECORDER_RUNTIME_DIRECTORY"], directory.hasPrefix("/") {
            path = directory
            // systemd created this directory, with the group from the unit.
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
    /// Returns the path of the read-only socket. It is not `NAME.live.sock`, because that is the control socket of a
    /// recorder called `NAME.live`.
    func liveSocket(_ name: RecordingName) -> String { "\(path)/\(name).live" }
    func lock(_ name: RecordingName) -> String { "\(path)/\(name).lock" }
    /// Returns the path of the lock of the process that copies a recorder's recordings. `copierState` is the path of
    /// that process's state.
    package func copierLock(_ name: RecordingName) -> String { "\(path)/\(name).copying" }
    package func copierState(_ name: RecordingName) -> String { "\(path)/\(name).copying.json" }
    /// The path of the file in which all copying processes of this user lock the names that they use on remotes.
    package var copyNames: String { path + "/copies.names" }

    /// Creates the directory if necessary, with mode 0700, and checks that only this user has access.
    ///
    /// All users share `/tmp`. Therefore the call refuses a directory of another owner, a directory that other users
    /// can enter, and a link.
    ///
    /// - Parameter group: The group whose members may enter and list the directory (0750). Without a group, the
    ///   directory is closed to every group, unless another running recording has opened it. Opening it for one
    ///   recording is safe, because each file in it has its own mode.
    /// - Parameter isPassed: True if all users may pass through the directory without listing it (0751), because a user
    ///   outside the group uses a socket in it.
    package func prepare(for group: UserGroup? = nil, isPassed: Bool = false) throws(MediaError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw MediaError(
                errno: errno, "cannot create \(path)", wayOut: "set XDG_RUNTIME_DIR to a directory that you own")
        }
        var kind = stat()
        guard lstat(path, &kind) == 0 else { throw MediaError(errno: errno, "cannot use \(path)") }
        guard kind.st_mode & S_IFMT == S_IFDIR, kind.st_uid == geteuid() else {
            throw MediaError(
                .notPermitted, "cannot use \(path)", reason: "it is not a directory that this user owns",
                wayOut: "set XDG_RUNTIME_DIR to a directory that you own")
        }
        let isInUse = kind.st_mode & 0o7776 == 0o750 && !running().isEmpty
        guard let group else {
            if kind.st_mode & forbidden != 0, !isInUse, chmod(path, 0o700) != 0 {
                throw MediaError(errno: errno, "cannot deny other users access to \(path)")
            }
            return
        }
        let action = "cannot share \(path) with the group \(group.name)"
        guard !isInUse || kind.st_gid == group.id else {
            throw MediaError(
                .busy, action, reason: "a running recorder shares it with another group",
                wayOut: "use one group for all recorders of a user, or set XDG_RUNTIME_DIR to another directory")
        }
        if let obstacle = group.obstacle(above: path) {
            throw MediaError(
                .invalidSettings, action, reason: "its members cannot enter \(obstacle)",
                wayOut: "set XDG_RUNTIME_DIR to a directory that they can enter, such as /run for a system service")
        }
        // The access that another running recording granted remains.
        try group.open(path, mode: isPassed || isInUse && kind.st_mode & 0o001 != 0 ? 0o751 : 0o750)
    }

    /// Returns the sorted names of the running processes. A process is running if it holds its lock. The result is
    /// empty for an untrusted directory.
    package func running() -> [RecordingName] {
        guard (try? owner()) != nil else { return [] }
        let names = (FolderContents.names(in: path) ?? []).compactMap { file in
            [".lock", ".sock"].first { file.hasSuffix($0) }.map { String(file.dropLast($0.count)) }
        }
        return Set(names).sorted().compactMap { try? RecordingName(parsing: $0) }.filter(isRunning)
    }

    /// Returns true if the process of that name is running.
    ///
    /// The call tries to connect to the socket if the lock cannot be checked: other users cannot read it, and another
    /// program may have removed it from `/tmp`.
    package func isRunning(_ name: RecordingName) -> Bool {
        let isHeld = InstanceLock.isHeld(at: lock(name))
        guard isHeld != true else { return true }
        return (isHeld == nil || !OutputLocation.isThere(lock(name))) && SocketAddress.isListening(socket(name))
    }

    /// Returns the ID of the process that has the name; nil if unknown.
    package func processID(_ name: RecordingName) -> Int32? { InstanceLock.owner(lock(name)) }
}
