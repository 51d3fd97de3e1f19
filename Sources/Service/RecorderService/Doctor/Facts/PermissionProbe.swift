import FileSystem
import Glibc

/// Finds the nodes of devices, and the rights and user groups that decide whether this process may use them. Queries
/// the system's list of users, which may be on a server in the network.
enum PermissionProbe {
    /// The user of this process.
    static var user: UserFacts {
        let id = getuid()
        return UserFacts(id: id, name: account(of: id)?.name ?? "\(id)")
    }

    /// Returns the nodes of cameras, and the nodes of sound cards that capture audio.
    static func nodes() -> [DeviceNode] {
        let id = getuid()
        let user = account(of: id)
        let own = Set(ownGroups() + [getegid()])
        let cameras = (FolderContents.names(in: "/dev") ?? [])
            .filter { $0.hasPrefix("video") && Int($0.dropFirst("video".count)) != nil }
        let microphones = (FolderContents.names(in: "/dev/snd") ?? [])
            .filter { $0.hasPrefix("pcmC") && $0.hasSuffix("c") }
        return cameras.sorted().compactMap { node(.camera, "/dev/\($0)", user, own) }
            + microphones.sorted().compactMap { node(.microphone, "/dev/snd/\($0)", user, own) }
    }

    /// Returns nil if there is no device at the path.
    private static func node(
        _ kind: DeviceNode.Kind, _ path: String, _ user: Account?, _ own: Set<gid_t>
    ) -> DeviceNode? {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFCHR else { return nil }
        var nodeGroup: DeviceNode.Group?
        if let entry = groupEntry(of: facts.st_gid) {
            let hasMember = user.map { entry.members.contains($0.name) || $0.group == facts.st_gid } ?? false
            nodeGroup = DeviceNode.Group(name: entry.name, hasMember: hasMember)
        }
        return DeviceNode(
            kind: kind, path: path, isUsable: access(path, R_OK | W_OK) == 0, owner: facts.st_uid,
            mode: facts.st_mode & 0o777, group: nodeGroup, isInGroup: own.contains(facts.st_gid))
    }

    private struct Account {
        var name: String
        var group: gid_t
    }

    private struct GroupEntry {
        var name: String
        var members: [String]
    }

    private static func account(of id: uid_t) -> Account? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: 16 << 10)
        return text.withUnsafeMutableBufferPointer { text -> Account? in
            guard let buffer = text.baseAddress, getpwuid_r(id, &entry, buffer, text.count, &found) == 0,
                found != nil, let name = entry.pw_name
            else { return nil }
            return Account(name: PathText.text(UnsafePointer(name)), group: entry.pw_gid)
        }
    }

    /// Returns the entry of a user group; nil if the group has no entry.
    private static func groupEntry(of id: gid_t) -> GroupEntry? {
        var size = 1024
        while size <= 1 << 20 {
            var result: GroupEntry?
            var text = [CChar](repeating: 0, count: size)
            let code = text.withUnsafeMutableBufferPointer { text -> Int32 in
                var entry = group()
                var found: UnsafeMutablePointer<group>?
                guard let buffer = text.baseAddress else { return EINVAL }
                let code = getgrgid_r(id, &entry, buffer, text.count, &found)
                guard code == 0, found != nil, let name = entry.gr_name else { return code }
                var members: [String] = []
                var next = entry.gr_mem
                while let place = next, let member = place.pointee {
                    members.append(PathText.text(UnsafePointer(member)))
                    next = place + 1
                }
                result = GroupEntry(name: PathText.text(UnsafePointer(name)), members: members)
                return 0
            }
            // ERANGE: the user group has many members.
            guard code == ERANGE else { return result }
            size *= 4
        }
        return nil
    }

    private static func ownGroups() -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return Array(groups.prefix(max(0, Int(count))))
    }
}
