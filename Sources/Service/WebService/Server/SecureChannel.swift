import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
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
        let client = ConnectionCounts.client(channel.remoteAddress)
        let isAdmitted = gate.begin(client)
        channel.closeFuture.whenComplete { [gate] _ in gate.end(client) }
        return certificate.newest().setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let tls = try pipeline.handler(type: NIOSSLServerHandler.self)
            let connection = SecureConnection(gate, limits, isAdmitted: isAdmitted)
            try pipeline.addHandler(connection, position: .after(tls))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        await certificate.current.handle(value: value, logger: logger)
    }
}
