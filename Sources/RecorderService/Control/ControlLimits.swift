package import NIOCore

/// What a client of the control interface may use of the process. A test makes them smaller.
package struct ControlLimits: Sendable {
    /// Bytes of one request's body.
    package var body = 64 * 1024
    /// Bytes of one request's line and headers.
    package var headers = 16 * 1024
    /// Further ones wait in the kernel's queue until one of these ends.
    package var connections = 64
    /// Of these, those that members of the control group may have; the rest is the owner's.
    package var memberConnections = 48
    /// From a connection's beginning, or its last answer, to a whole request.
    package var requestTime = TimeAmount.seconds(10)
    /// The same while every connection is taken.
    package var crowdedTime = TimeAmount.milliseconds(250)
    /// So long may a client read nothing of what waits for it.
    package var stallTime = TimeAmount.seconds(10)
    /// From one line of a level stream to the next.
    package var levelInterval = Duration.milliseconds(100)
    /// Fewer than connections: meters that are left running must not keep `stop` out.
    package var levelStreams = 16
    /// Pictures being compressed at the same time.
    package var snapshots = 2
    /// Of `/v1/live`.
    package var liveStreams = 8
    /// Bytes that may wait for one of them: two seconds of 60 Mbit/s.
    package var liveBytes = 16 << 20
    /// After so long without a packet a watcher gets a word that is none.
    package var liveSilence = Duration.seconds(5)
    /// So long may the first picture take.
    package var livePatience = Duration.seconds(5)

    package init() {}

    /// Of the socket on which a recorder is only looked at: few look at it, and give many what they see.
    package static let live = {
        var limits = ControlLimits()
        limits.body = 0
        limits.connections = 24
        limits.memberConnections = 20
        return limits
    }()
}
