import CommandInterface
package import HTTPTypes
package import NIOCore
import RealTime
package import RecorderControl

/// Accepts only requests that are meant for this server. It checks the host name in the request, and the page that
/// sends the request.
///
/// The check of `Host` refuses a page of another site that reaches the server under the host name of that site (DNS
/// rebinding). The check of `Origin`, like the cookie's `SameSite=Strict`, prevents a page of another site from sending
/// requests as the logged-in user.
package final class WebGate: RequestGate {
    /// The request's connection with TLS, which has been counted already; nil for a connection without TLS.
    package struct Admitted: Sendable {
        fileprivate let connection: NIOLoopBound<SecureConnection>?
    }

    private let hosts: WebHosts
    private let connections: Int
    private let counts: Locked<ConnectionCounts>

    /// Creates a gate.
    ///
    /// - Parameter connections: The maximum number of connections at the same time.
    package init(hosts: WebHosts, connections: Int) {
        self.hosts = hosts
        self.connections = connections
        counts = Locked(ConnectionCounts(mostPerClient: connections / 8))
    }

    package func admit(_ channel: any Channel) -> EventLoopFuture<Result<Admitted, ControlError>> {
        let connection = SecureConnection.of(channel)
        if let connection { connection.begin() } else { _ = begin(nil) }
        let bound = connection.map { NIOLoopBound($0, eventLoop: channel.eventLoop) }
        return channel.eventLoop.makeSucceededFuture(.success(Admitted(connection: bound)))
    }

    package func leave(_ admitted: Admitted) {
        if let connection = admitted.connection { connection.value.end() } else { end(nil) }
    }

    /// Counts a connection.
    ///
    /// - Returns: false if its client has too many connections.
    func begin(_ client: ConnectionCounts.Client?) -> Bool { counts.withLock { $0.begin(client) } }

    func end(_ client: ConnectionCounts.Client?) { counts.withLock { $0.end(client) } }

    package var isFull: Bool { counts.withLock { $0.all >= connections } }

    package func refusal(of head: HTTPRequest) -> ControlError? {
        guard let host = head.authority?.lowercased(), hosts.contains(host) else {
            return ControlError(
                .misdirectedRequest, "badRequest", "cannot answer: the request is for another host",
                wayOut: "add the name of this server with `recorder web --host NAME`")
        }
        let origin = head.headerFields[.origin]?.lowercased()
        let isOurs = origin == "http://" + host || origin == "https://" + host
        if head.method == .get || head.method == .head {
            // A script of another site's page could not read the answer anyway, and no form or link of such a page
            // needs an answer.
            guard origin == nil || isOurs else { return Self.foreign }
            return nil
        }
        return isOurs ? nil : Self.foreign
    }

    package func body(of error: ControlError, to head: HTTPRequest?) -> (type: String, text: String) {
        let error = error.onPage
        guard let head, ErrorPage.isWanted(head) else { return ("application/json", JSONText.line(error.body) + "\n") }
        return (ErrorPage.type, ErrorPage.text(error))
    }

    private static let foreign = ControlError.forbidden(
        "cannot answer", "the request is not from this page", wayOut: "send `Origin` with this server's own address")
}
