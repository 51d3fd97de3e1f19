import Glibc
import NIOCore
import RealTime

/// Who is at the other end of a connection.
enum ControlPeer: Sendable {
    /// The user of this process, or root.
    case owner
    /// Of the control group: may control the recording, and nothing else of what its owner may.
    case member
}

/// Lets users in, and keeps a part of the connections for the owner.
final class ControlAdmission: Sendable {
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

/// What a client of the control interface may use of the process. A test makes them smaller.
struct ControlLimits: Sendable {
    /// Bytes of one request's body.
    var body = 64 * 1024
    /// Bytes of one request's line and headers.
    var headers = 16 * 1024
    /// Further ones wait in the kernel's queue until one of these ends.
    var connections = 64
    /// Of these, those that members of the control group may have; the rest is the owner's.
    var memberConnections = 48
    /// From a connection's beginning, or its last answer, to a whole request.
    var requestTime = TimeAmount.seconds(10)
    /// The same while every connection is taken.
    var crowdedTime = TimeAmount.milliseconds(250)
    /// So long may a client read nothing of what waits for it.
    var stallTime = TimeAmount.seconds(10)
    /// From one line of a level stream to the next.
    var levelInterval = Duration.milliseconds(100)
    /// Fewer than connections: meters that are left running must not keep `stop` out.
    var levelStreams = 16
    /// Pictures being compressed at the same time.
    var snapshots = 2
    /// Of `/v1/live`.
    var liveStreams = 8
    /// Bytes that may wait for one of them: two seconds of 60 Mbit/s.
    var liveBytes = 16 << 20
    /// After so long without a packet a watcher gets a word that is none.
    var liveSilence = Duration.seconds(5)
    /// So long may the first picture take.
    var livePatience = Duration.seconds(5)

    /// Of the socket on which a recorder is only looked at: few look at it, and give many what they see.
    static let live = {
        var limits = ControlLimits()
        limits.body = 0
        limits.connections = 24
        limits.memberConnections = 20
        return limits
    }()
}
