/// The response to a request over HTTP (RFC 9112).
package struct HTTPResponse: Sendable, Hashable {
    package var status: Int
    package var body: [UInt8]

    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
}

/// The reason why a response is refused.
package struct HTTPFailure: Error, Sendable, Hashable {
    /// The reason in words: "its answer ends too early".
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
