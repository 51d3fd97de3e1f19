import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import NIOTLS
import RecorderControl

/// A TLS connection, which uses HTTP/2, or HTTP/1.1 with older clients.
///
/// With HTTP/1.1, a browser opens at most six connections to a host. Each tab of the page keeps one connection open, so
/// the seventh tab would not load. With HTTP/2, all tabs share one connection.
struct SecureChannel: ServerChildChannel {
    typealias Value = HTTP2UpgradeChannel.Value

    private let certificate: RenewedCertificate
    private let gate: WebGate
    private let limits: ControlLimits

    init(
        _ tls: TLSIdentity, _ version: TLSIdentity.Version, gate: WebGate, limits: ControlLimits,
        requests: HTTP1Channel.Configuration, responder: @escaping HTTPChannelHandler.Responder, log: Logger
    ) throws {
        self.gate = gate
        self.limits = limits
        certificate = try RenewedCertificate(tls, version, log: log) { configuration in
            try HTTP2UpgradeChannel(
                tlsConfiguration: configuration,
                configuration: .init(
                    // A connection without a request has the same timeout as with HTTP/1.1.
                    idleTimeout: .nanoseconds(limits.requestTime.nanoseconds), streamConfiguration: requests),
                responder: responder)
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let deadline = gate.isFull ? min(limits.crowdedTime, limits.requestTime) : limits.requestTime
        return certificate.newest().setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let tls = try pipeline.handler(type: NIOSSLServerHandler.self)
            try pipeline.addHandler(HandshakeDeadline(deadline), position: .after(tls))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        await certificate.current.handle(value: value, logger: logger)
    }
}

/// Closes a connection whose TLS handshake does not end in time. The time limits of requests begin only after the
/// handshake.
///
/// Runs on the connection's event loop.
private final class HandshakeDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let time: TimeAmount
    private var timer: Scheduled<Void>?

    init(_ time: TimeAmount) { self.time = time }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { timer?.cancel() }
        context.fireUserInboundEventTriggered(event)
    }
}
