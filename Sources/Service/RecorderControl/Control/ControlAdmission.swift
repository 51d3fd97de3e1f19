import Glibc
import HTTPTypes
import NIOCore
import RealTime

/// The client of a connection.
package enum ControlPeer: Sendable {
    /// The user of this process, or root.
    case owner
    /// A member of the control group, who may control the recording, but has no other rights of the owner.
    case member
}

/// Admits users to a socket, and reserves some of the connections for the owner.
final class ControlAdmission: RequestGate {
    /// The credentials of a peer (unix(7), SO_PEERCRED).
    private struct Credentials: Sendable {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }

    private let limits: ControlLimits
    private let hasMembers: Bool
    private let isOwner: @Sendable (uid_t) -> Bool
    private let count = Locked((owners: 0, members: 0))

    /// Creates an admission for one socket.
    ///
    /// - Parameters:
    ///   - hasMembers: True if members of a control group may use the socket; the socket's mode keeps all other users
    ///     out.
    ///   - isOwner: Returns true for the owner's user ID; tests replace it.
    init(
        _ limits: ControlLimits, hasMembers: Bool,
        isOwner: @escaping @Sendable (uid_t) -> Bool = { $0 == 0 || $0 == geteuid() }
    ) {
        self.limits = limits
        self.hasMembers = hasMembers
        self.isOwner = isOwner
    }

    /// The host names that a client may use for this socket.
    private static let hosts: Set = ["recorder", "localhost"]

    func admit(_ channel: any Channel) -> EventLoopFuture<Result<ControlPeer, ControlError>> {
        peer(of: channel).map { [self] peer in
            guard let peer else { return .failure(.forbidden("cannot answer", "the request comes from another user")) }
            guard enter(peer) else {
                return .failure(.tooMany("connections of the control group", limit: limits.memberConnections))
            }
            return .success(peer)
        }
    }

    /// Refuses requests from browsers that reach the socket through a proxy. Such requests have an `Origin` header, or
    /// another host name.
    func refusal(of head: HTTPRequest) -> ControlError? {
        guard head.headerFields[.origin] == nil else {
            return .forbidden("cannot answer", "requests from web pages are not allowed")
        }
        guard let host = head.authority, Self.hosts.contains(host.lowercased()) else {
            return .forbidden("cannot answer", "the request is for another host", wayOut: "use http://recorder/")
        }
        return nil
    }

    /// Returns the client of a connection; nil for a user without access.
    func peer(of channel: any Channel) -> EventLoopFuture<ControlPeer?> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(nil)
        }
        let credentials: EventLoopFuture<Credentials> = options.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        let (isOwner, hasMembers) = (isOwner, hasMembers)
        return credentials.map { isOwner($0.user) ? .owner : hasMembers ? .member : nil }
            .recover { _ in nil }
    }

    /// Counts a new connection.
    ///
    /// - Returns: false if the members have reached their limit; the connection then does not count.
    func enter(_ peer: ControlPeer) -> Bool {
        count.withLock { count in
            switch peer {
            case .owner: count.owners += 1
            case .member:
                guard count.members < limits.memberConnections else { return false }
                count.members += 1
            }
            return true
        }
    }

    /// Records the end of a connection that was counted.
    func leave(_ peer: ControlPeer) {
        count.withLock { count in
            if peer == .owner { count.owners -= 1 } else { count.members -= 1 }
        }
    }

    /// True if all or nearly all connections are in use. Idle connections are then closed.
    var isFull: Bool { count.withLock { $0.owners + $0.members >= limits.connections } }
}
