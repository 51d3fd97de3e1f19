import NIOCore
import NIOSSL
import NIOTLS
import RecorderControl

/// Closes a TLS connection that does not end its handshake in time, and one that has had no request for some time.
///
/// `RequestGuard` limits the times of a request. Over HTTP/2, each stream has its own guard, so a connection without a
/// stream has none. Hummingbird then asks the client to close the connection (RFC 9113, 6.8), and waits for the answer.
/// This handler closes the connections of clients that do not answer.
///
/// Runs on the connection's event loop, and so do the guards of its streams.
final class SecureConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let gate: WebGate
    private let limits: ControlLimits
    /// False for a client that has too many connections: it is disconnected at once.
    private let isAdmitted: Bool
    /// The number of requests: the guards of the HTTP/2 streams, or the guard of an HTTP/1.1 connection, which limits
    /// the time without a request itself.
    private var requests = 0
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(_ gate: WebGate, _ limits: ControlLimits, isAdmitted: Bool) {
        (self.gate, self.limits, self.isAdmitted) = (gate, limits, isAdmitted)
    }

    /// Returns the connection of a channel that has a `RequestGuard`; nil without TLS.
    static func of(_ channel: any Channel) -> SecureConnection? {
        // The parent of a stream is its connection. The parent of a connection is the listening socket, which may run
        // on another event loop.
        for place in [channel, channel.parent].compactMap({ $0 }) where place.eventLoop.inEventLoop {
            if let found = try? place.pipeline.syncOperations.handler(type: Self.self) { return found }
        }
        return nil
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        wait(isAdmitted ? limits.requestTime : .zero)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent, isAdmitted { waitForRequest() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Records that a request begins.
    func begin() {
        requests += 1
        timer?.cancel()
    }

    /// Records that a request has ended.
    func end() {
        requests -= 1
        if requests == 0 { waitForRequest() }
    }

    /// Waits longer than Hummingbird, so that a client has time to answer.
    private func waitForRequest() { wait(limits.requestTime + limits.crowdedTime) }

    private func wait(_ time: TimeAmount) { look(since: .now(), time) }

    /// Closes the connection if it has waited for the given time. The limit is shorter while other clients wait.
    private func look(since began: NIODeadline, _ time: TimeAmount) {
        timer?.cancel()
        guard let context else { return }
        let end = began + (gate.isFull ? min(limits.crowdedTime, time) : time)
        let now = NIODeadline.now()
        let next = now < end ? min(end - now, limits.crowdedTime) : .zero
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: next) { [self] in
            guard NIODeadline.now() >= end else { return look(since: began, time) }
            self.context?.close(promise: nil)
        }
    }
}
