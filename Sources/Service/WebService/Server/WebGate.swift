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
    package typealias Admitted = Bool

    private let hosts: WebHosts
    private let connections: Int
    private let count = Locked(0)

    /// Creates a gate.
    ///
    /// - Parameter connections: The maximum number of connections at the same time.
    package init(hosts: WebHosts, connections: Int) {
        self.hosts = hosts
        self.connections = connections
    }

    package func admit(_ channel: any Channel) -> EventLoopFuture<Result<Bool, ControlError>> {
        count.withLock { $0 += 1 }
        return channel.eventLoop.makeSucceededFuture(.success(true))
    }

    package func leave(_ admitted: Bool) { count.withLock { $0 -= 1 } }

    package var isFull: Bool { count.withLock { $0 >= connections } }

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
        guard let head, ErrorPage.isWanted(head) else { return ("application/json", JSONText.line(error.body) + "\n") }
        return (ErrorPage.type, ErrorPage.text(error))
    }

    private static let foreign = ControlError.forbidden(
        "cannot answer", "the request is not from this page", wayOut: "send `Origin` with this server's own address")
}
