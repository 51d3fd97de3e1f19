import CommandInterface
package import HTTPTypes
package import NIOCore

/// Who may connect to a server, and which requests are meant for it.
///
/// What is asked on a connection's event loop, and answered without waiting.
package protocol RequestGate: Sendable {
    /// Who is at the other end of a connection.
    associatedtype Visitor: Sendable

    /// A connection began; the answer is there at once. Who is let in leaves later.
    func admit(_ channel: any Channel) -> EventLoopFuture<Result<Visitor, ControlError>>
    /// The connection of one who was let in ended.
    func leave(_ visitor: Visitor)
    /// Others wait, or soon will: who asks nothing makes room.
    var isFull: Bool { get }
    /// Why a request is not for this server, by its head; nil: it is.
    func refusal(of head: HTTPRequest) -> ControlError?
    /// The body of an answer that refuses a request, and its media type.
    func body(of error: ControlError, to head: HTTPRequest?) -> (type: String, text: String)
}

extension RequestGate {
    package func body(of error: ControlError, to head: HTTPRequest?) -> (type: String, text: String) {
        ("application/json", JSONText.line(error.body) + "\n")
    }
}
