import Glibc
import HTTPTypes
import NIOCore
import RealTime

/// Who is at the other end of a connection.
package enum ControlPeer: Sendable {
    /// The user of this process, or root.
    case owner
    /// Of the control group: may control the recording, and nothing else of what its owner may.
    case member
}

/// Lets users in, and keeps a part of the connections for the owner.
final class ControlAdmission: RequestGate {
    /// unix(7), SO_PEERCRED.
    private struct Credentials: Sendable {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }

    private let limits: ControlLimits
    private let hasMembers: Bool
    private let isOwner: @Sendable (uid_t) -> Bool
    private let count = Locked((owners: 0, members: 0))

    /// - Parameters:
    ///   - hasMembers: a control group is named; the socket's mode says who is in it.
    ///   - isOwner: a test takes others for it.
    init(
        _ limits: ControlLimits, hasMembers: Bool,
        isOwner: @escaping @Sendable (uid_t) -> Bool = { $0 == 0 || $0 == geteuid() }
    ) {
        self.limits = limits
        self.hasMembers = hasMembers
        self.isOwner = isOwner
    }

    /// What a client calls this socket.
    private static let hosts: Set = ["recorder", "localhost"]

    func admit(_ channel: any Channel) -> EventLoopFuture<Result<ControlPeer, ControlError>> {
        peer(of: channel).map { [self] peer in
            guard let peer else { return .failure(.forbidden("cannot answer", "another user asks")) }
            guard enter(peer) else {
                return .failure(.tooMany("connections of the control group", limit: limits.memberConnections))
            }
            return .success(peer)
        }
    }

    /// A browser, through whatever lends it the socket: it says which page asks, and by which name it came.
    func refusal(of head: HTTPRequest) -> ControlError? {
        guard head.headerFields[.origin] == nil else {
            return .forbidden("cannot answer", "no web page is served here")
        }
        guard let host = head.authority, Self.hosts.contains(host.lowercased()) else {
            return .forbidden("cannot answer", "the request is for another host", wayOut: "ask http://recorder/")
        }
        return nil
    }

    /// Who is at the other end; nil: somebody who has no business here.
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

    /// A connection began.
    ///
    /// - Returns: false when members have as many as they may; then it does not count.
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

    /// One that entered ended.
    func leave(_ peer: ControlPeer) {
        count.withLock { count in
            if peer == .owner { count.owners -= 1 } else { count.members -= 1 }
        }
    }

    /// Others wait, or soon will: who asks nothing makes room.
    var isFull: Bool { count.withLock { $0.owners + $0.members >= limits.connections } }
}
