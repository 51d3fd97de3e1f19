import NIOCore

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
}
