import MediaTypes

/// A request, from this machine to a camera or the reverse (RFC 2326, 6).
package struct RTSPRequest: Sendable, Hashable {
    package var method: String
    /// The URL as it is sent; never with a user or password.
    package var target: String
    package var headers: RTSPHeaders
    package var body: [UInt8]

    package init(_ method: String, _ target: String, headers: RTSPHeaders = RTSPHeaders(), body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The bytes to send.
    package var bytes: [UInt8] { RTSPMessage.bytes("\(method) \(target) RTSP/1.0", headers, body) }
}

/// The response to a request (RFC 2326, 7).
package struct RTSPResponse: Sendable, Hashable {
    package var status: Int
    package var reason: String
    package var headers: RTSPHeaders
    package var body: [UInt8]

    package init(_ status: Int, _ reason: String, headers: RTSPHeaders = RTSPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The bytes to send.
    package var bytes: [UInt8] { RTSPMessage.bytes("RTSP/1.0 \(status) \(reason)", headers, body) }
}

/// The common form of requests and responses.
package enum RTSPMessage: Sendable, Hashable {
    case request(RTSPRequest)
    case response(RTSPResponse)

    /// Reads the first line and the headers of a message, without its body.
    ///
    /// - Returns: nil if the first line is not that of a message.
    /// - Throws: An error if the server answers in HTTP.
    static func parse(head: ArraySlice<UInt8>) throws(MediaError) -> RTSPMessage? {
        let lines = head.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard let first = lines.first.flatMap({ RTSPFirstLine($0) }) else { return nil }
        var headers = RTSPHeaders()
        for bytes in lines.dropFirst() {
            let line = String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes, as: UTF8.self)
            guard !line.withoutSpaces.isEmpty else { continue }
            if line.first?.isBlank == true {
                headers.continueLast(line.withoutSpaces)
            } else if let (name, value) = line.parted(by: ":") {
                headers.add(String(name.withoutSpaces), String(value.withoutSpaces))
            }
        }
        switch first {
        case .response(let status, let reason): return .response(RTSPResponse(status, reason, headers: headers))
        case .request(let method, let target): return .request(RTSPRequest(method, target, headers: headers))
        case .http:
            throw MediaError(
                .unsupported, "cannot talk to the camera", reason: "this port answers in HTTP",
                wayOut: "use the port of RTSP, usually 554")
        }
    }

    var headers: RTSPHeaders {
        switch self {
        case .request(let request): request.headers
        case .response(let response): response.headers
        }
    }

    func with(body: [UInt8]) -> RTSPMessage {
        switch self {
        case .request(var request):
            request.body = body
            return .request(request)
        case .response(var response):
            response.body = body
            return .response(response)
        }
    }

    static func bytes(_ first: String, _ headers: RTSPHeaders, _ body: [UInt8]) -> [UInt8] {
        var text = oneLine(first) + "\r\n"
        for field in headers.fields { text += oneLine("\(field.name): \(field.value)") + "\r\n" }
        if !body.isEmpty { text += "Content-Length: \(body.count)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }

    /// Removes line ends, because a value from a URL or a server must not add a line to a message.
    private static func oneLine(_ text: String) -> String { String(text.filter { !$0.isNewline && $0 != "\0" }) }
}
