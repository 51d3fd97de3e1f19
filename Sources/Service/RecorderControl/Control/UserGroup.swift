import FileSystem
package import Foundation
package import MediaTypes

/// A group of users of the operating system. Its members may use a socket, in addition to the socket's owner. It is the
/// control group or the live group of a recorder, or the group of the page's proxy.
package struct UserGroup: Sendable, Hashable {
    package let name: String
    let id: gid_t

    /// Looks up a group.
    ///
    /// - Throws: `notFound` if the group does not exist; `invalidSettings` if this process's user namespace does not have
    ///   it, because then no file can be given to it (chown(2)); `notPermitted` if this user is not a member, because
    ///   only members of a group may give a file to this group.
    ///
    /// - Parameters:
    ///   - map: The groups of the user namespace (user_namespaces(7), `gid_map`); nil for those of this process.
    ///   - isMember: Returns true if this user is a member; root may use any group.
    package init(
        named name: String, map: String? = nil,
        isMember: ((gid_t) -> Bool)? = nil
    ) throws(MediaError) {
        let action = "cannot share the control socket with the group \(name.prefix(80))"
        guard let id = Self.lookUp(name) else {
            throw MediaError(
                .notFound, action, reason: "there is no such group",
                wayOut: "`getent group` lists the groups, `sudo groupadd --system \(name.prefix(80))` creates it")
        }
        guard (map ?? Self.ownMap).map({ Self.isMapped(id, in: $0) }) ?? true else {
            // A restart cannot fix this, so the error is one of the settings.
            throw MediaError(
                .invalidSettings, action,
                reason: "this process cannot use the group, as in a service with PrivateUsers=yes",
                wayOut: "put PrivateUsers=no, SupplementaryGroups=\(name.prefix(80)) and SystemCallFilter=@chown into "
                    + "a drop-in of the service (`systemctl edit`)")
        }
        let isIn: (gid_t) -> Bool = isMember ?? { geteuid() == 0 || $0 == getegid() || Self.own.contains($0) }
        guard isIn(id) else {
            throw MediaError(
                .notPermitted, action, reason: "this user is not a member",
                wayOut: "run `sudo usermod -aG \(name.prefix(80)) USER`, then log in again")
        }
        self.name = name
        self.id = id
    }

    /// The groups of this process's user namespace; nil if the system does not report them.
    private static var ownMap: String? {
        FileContents.bytes(of: "/proc/self/gid_map").map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns true if a group is in a map. Each line has the first group of a range, the group that it is outside of the
    /// namespace, and the size of the range.
    static func isMapped(_ id: gid_t, in map: String) -> Bool {
        map.split(separator: "\n").contains { line in
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            return numbers.count == 3 && numbers[0] <= UInt64(id) && UInt64(id) - numbers[0] < numbers[2]
        }
    }

    private static func lookUp(_ name: String) -> gid_t? {
        var size = 1024
        while size <= 1 << 20 {
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            var buffer = [CChar](repeating: 0, count: size)
            let code = getgrnam_r(name, &entry, &buffer, size, &found)
            if code == 0 { return found == nil ? nil : entry.gr_gid }
            // ERANGE means that the group's entry does not fit. The next attempt then uses a larger buffer. Any other
            // error counts as a missing group.
            guard code == ERANGE else { return nil }
            size *= 4
        }
        return nil
    }

    private static var own: [gid_t] {
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return Array(groups.prefix(max(0, Int(count))))
    }

    /// Returns the first directory above `path` that members cannot enter; nil if there is none.
    func obstacle(above path: String) -> String? {
        var directory = path.parentDirectory
        while directory.hasPrefix("/") {
            var kind = stat()
            let isOpen =
                stat(directory, &kind) == 0
                && (kind.st_mode & S_IXOTH != 0 || kind.st_gid == id && kind.st_mode & S_IXGRP != 0)
            if !isOpen { return directory }
            if directory == "/" { return nil }
            directory = directory.parentDirectory
        }
        return nil
    }

    /// Sets the permissions of a socket, either for the members of a group or for the socket's owner only. Before this
    /// call, only the permissions of the directory keep other users out.
    package static func open(_ socket: String, to group: UserGroup?) throws(MediaError) {
        if let group { return try group.open(socket, mode: 0o660) }
        guard chmod(socket, 0o600) == 0 else {
            throw MediaError(errno: errno, "cannot deny other users access to \(socket)")
        }
    }

    /// Changes the group of a file or directory, then its mode. In this order, the file is never open to another group.
    package func open(_ path: String, mode: mode_t) throws(MediaError) {
        let action = "cannot share \(path) with the group \(name)"
        var kind = stat()
        guard lstat(path, &kind) == 0 else { throw MediaError(errno: errno, action) }
        // The sandbox of the services forbids chown(2), and their files already have their own group.
        if kind.st_gid != id, lchown(path, uid_t.max, id) != 0 {
            let number = errno
            throw MediaError(
                errno: number, action,
                wayOut: number == EPERM
                    ? "a service needs SystemCallFilter=@chown in a drop-in (`systemctl edit`)" : "")
        }
        guard chmod(path, mode) == 0 else { throw MediaError(errno: errno, action) }
    }
}
