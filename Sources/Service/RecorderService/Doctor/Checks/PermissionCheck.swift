/// Checks that this user may read and write the nodes of cameras and microphones.
enum PermissionCheck {
    /// Returns the finding for one kind of device.
    ///
    /// - Parameters:
    ///   - nodes: The nodes of all devices; nil if they could not be read in time.
    ///   - isNeeded: True if a recorder cannot record without such a device.
    static func finding(
        _ kind: DeviceNode.Kind, _ nodes: [DeviceNode]?, _ user: UserFacts, isNeeded: Bool
    ) -> DoctorFinding {
        guard let nodes = nodes?.filter({ $0.kind == kind }) else {
            return finding(kind, .unknown, "the system's list of users does not answer")
        }
        guard !nodes.isEmpty else {
            let place = kind == .camera ? "/dev/video*" : "/dev/snd/pcmC*c"
            return finding(kind, .unknown, "there is no device file \(place)")
        }
        let refused = nodes.filter { !$0.isUsable }
        guard let first = refused.first else {
            let passing = nodes.filter { isPassing($0, user) }
            guard let node = passing.first else {
                return finding(kind, .ok, "\(user.name) may use \(list(nodes))")
            }
            return finding(
                kind, .hint, "\(user.name) may use \(list(passing)) only while logged in at this machine",
                node.group.map { membership($0, user) })
        }
        let verdict = isNeeded && refused.count == nodes.count ? DoctorFinding.Verdict.problem : .hint
        return finding(kind, verdict, "\(user.name) may not use \(list(refused))", advice(for: first, user))
    }

    private static func finding(
        _ kind: DeviceNode.Kind, _ verdict: DoctorFinding.Verdict, _ text: String, _ wayOut: String? = nil
    ) -> DoctorFinding {
        DoctorFinding(.permissions, kind == .camera ? "cameras" : "microphones", verdict, text, wayOut: wayOut)
    }

    /// Returns true if the user has access only until the end of the login. Such access comes from an access list that
    /// systemd-logind sets, not from the node's owner or mode.
    private static func isPassing(_ node: DeviceNode, _ user: UserFacts) -> Bool {
        guard !user.isRoot, node.owner != user.id, node.mode & 0o006 != 0o006 else { return false }
        return !(node.isInGroup && node.mode & 0o060 == 0o060)
    }

    private static func advice(for node: DeviceNode, _ user: UserFacts) -> String {
        let look = "`ls -l \(node.path)` shows who may use it"
        guard let group = node.group, group.name != "root" else {
            return "set its user group in a udev rule, such as GROUP=\"video\"; " + look
        }
        // A container may restrict a device although its mode allows access.
        guard node.mode & 0o060 == 0o060, !node.isInGroup else {
            return "the mode of \(node.path) does not allow access; " + look
        }
        guard !group.hasMember else {
            return "log in again: \(user.name) is a member of \(group.name), but not yet in this login"
        }
        return membership(group, user)
    }

    private static func membership(_ group: DeviceNode.Group, _ user: UserFacts) -> String {
        group.hasMember
            ? "log in again, so that this login has the user group \(group.name)"
            : "run `sudo usermod -aG \(group.name) \(user.name)`, then log in again"
    }

    private static func list(_ nodes: [DeviceNode]) -> String {
        let shown = nodes.prefix(4).map(\.path).joined(separator: ", ")
        return nodes.count > 4 ? "\(shown) and \(nodes.count - 4) more" : shown
    }
}
