package import NIOCore

/// The limits of the resources that clients of the control interface may use. Tests set smaller limits.
package struct ControlLimits: Sendable {
    /// Maximum size of a request's body in bytes.
    package var body = 64 * 1024
    /// Maximum size of a request line with its headers, in bytes.
    package var headers = 16 * 1024
    /// Maximum number of connections. Further connections wait in the kernel's queue.
    package var connections = 64
    /// Maximum number of connections of the control group's members; the rest is reserved for the owner.
    package var memberConnections = 48
    /// Maximum wait for a complete request. It begins with the connection, or with the end of the previous answer.
    package var requestTime = TimeAmount.seconds(10)
    /// The limit that replaces `requestTime` while all or nearly all connections are in use.
    package var crowdedTime = TimeAmount.milliseconds(250)
    /// The time after which a client that reads nothing of its pending answer is disconnected.
    package var stallTime = TimeAmount.seconds(10)
    /// Interval between two lines of a level stream.
    package var levelInterval = Duration.milliseconds(100)
    /// Maximum number of level streams. It is lower than the maximum number of connections, so that meters that were
    /// left running do not block `stop`.
    package var levelStreams = 16
    /// Maximum number of frames that are compressed at the same time.
    package var snapshots = 2
    /// Maximum number of streams of `/v1/live`.
    package var liveStreams = 8
    /// The number of bytes that may wait for one viewer: two seconds at 60 Mbit/s.
    package var liveBytes = 16 << 20
    /// The time without a packet after which a viewer receives a filler.
    package var liveSilence = Duration.seconds(5)
    /// Maximum wait of a new viewer for the first frame.
    package var livePatience = Duration.seconds(5)

    package init() {}

    /// The limits of the read-only socket. This socket has few clients, and each of them relays to many viewers.
    package static let live = {
        var limits = ControlLimits()
        limits.body = 0
        limits.connections = 24
        limits.memberConnections = 20
        return limits
    }()
}
