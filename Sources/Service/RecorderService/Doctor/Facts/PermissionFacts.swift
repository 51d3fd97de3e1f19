/// The user who runs `recorder doctor`.
struct UserFacts: Sendable, Equatable {
    var id: UInt32
    /// The account's name; the user's number if there is no account.
    var name: String
    var isRoot: Bool { id == 0 }
}

/// The node of a device in /dev, and the rights of this user.
struct DeviceNode: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case camera, microphone
    }

    /// The user group of the node.
    struct Group: Sendable, Equatable {
        var name: String
        /// True if the system lists the user as a member. A login that began before the user became a member does not
        /// have the user group yet.
        var hasMember: Bool
    }

    var kind: Kind
    var path: String
    /// True if this process may read and write the node.
    var isUsable: Bool
    var owner: UInt32
    /// The permission bits.
    var mode: UInt32
    /// The user group; nil if the group has no name.
    var group: Group?
    /// True if this process is in the node's user group.
    var isInGroup: Bool
}
