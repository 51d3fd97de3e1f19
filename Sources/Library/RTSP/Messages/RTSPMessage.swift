import MediaTypes

/// A request, from us to a camera or the reverse (RFC 2326, 6).
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
    /// - Throws: if the server answers in HTTP.
    static func parse(head: ArraySlice<UInt8>) throws(MediaError) -> RTSPMessage? {
        var lines = head.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
        let first = lines.removeFirst()
        var headers = RTSPHeaders()
        for line in lines where !line.withoutSpaces.isEmpty {
            if line.first?.isBlank == true {
                headers.continueLast(line.withoutSpaces)
            } else if let (name, value) = line.parted(by: ":") {
                headers.add(String(name.withoutSpaces), String(value.withoutSpaces))
            }
        }
        let words = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
        guard words.count >= 2 else { return nil }
        if words[0].hasPrefix("RTSP/") {
            guard let status = Int(words[1]), (100..<1000).contains(status) else { return nil }
            return .response(RTSPResponse(status, words.count > 2 ? String(words[2]) : "", headers: headers))
        }
        if words[0].hasPrefix("HTTP/") {
            throw MediaError(
                .unsupported, "cannot talk to the camera", reason: "this port answers in HTTP",
                wayOut: "use the port of RTSP, usually 554")
        }
        guard words.count == 3, words[2].hasPrefix("RTSP/"),
            words[0].utf8.allSatisfy({ $0.isLetterOrDigit || $0 == 0x5F })
        else { return nil }
        return .request(RTSPRequest(String(words[0]), String(words[1]), headers: headers))
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

    /// Removes line ends, which a value from a URL or a server must not bring into a message.
    private static func oneLine(_ text: String) -> String { String(text.filter { !$0.isNewline && $0 != "\0" }) }
}
