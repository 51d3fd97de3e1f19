/// One request over HTTP to a service of a camera (RFC 9112; SOAP 1.2, part 2, 7).
package struct DevicePost: Sendable, Hashable {
    package let url: DeviceURL
    let request: ServiceRequest

    /// The bytes to send. The connection ends with the answer.
    package var bytes: [UInt8] {
        let body = request.body
        let head = [
            "POST \(url.path) HTTP/1.1", "Host: \(url.authority)",
            "Content-Type: application/soap+xml; charset=utf-8; action=\"\(request.action)\"",
            "Content-Length: \(body.count)", "Connection: close",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}
