import CommandInterface
package import HTTPTypes
package import NIOCore

/// Decides who may connect to a server, and which requests it accepts.
///
/// Called on a connection's event loop; must not block.
package protocol RequestGate: Sendable {
    /// The server's description of a client that was admitted.
    associatedtype Admitted: Sendable

    /// Admits or refuses a new connection. The result is available at once. The server calls `leave` later for each
    /// client that was admitted.
    func admit(_ channel: any Channel) -> EventLoopFuture<Result<Admitted, ControlError>>
    /// Called when the connection of an admitted client has ended.
    func leave(_ admitted: Admitted)
    /// True if all or nearly all connections are in use. Idle connections are then closed.
    var isFull: Bool { get }
    /// Checks a request's headers, and returns the reason why the request is refused; nil if it is accepted.
    func refusal(of head: HTTPRequest) -> ControlError?
    /// Returns the body of an answer that refuses a request, and its media type.
    func body(of error: ControlError, to head: HTTPRequest?) -> (type: String, text: String)
}

extension RequestGate {
    package func body(of error: ControlError, to head: HTTPRequest?) -> (type: String, text: String) {
        ("application/json", JSONText.line(error.body) + "\n")
    }
}
