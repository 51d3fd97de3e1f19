/// Reads and writes the envelope of SOAP 1.2. Every message of ONVIF has such an envelope (ONVIF Core, 5).
enum SOAPEnvelope {
    /// Returns a message with these elements in its header and its body.
    static func bytes(header: String = "", body: String) -> [UInt8] {
        let head = header.isEmpty ? "" : "<s:Header>\(header)</s:Header>"
        return Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>\
            <s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope">\
            \(head)<s:Body>\(body)</s:Body></s:Envelope>
            """.utf8)
    }

    /// Returns the header and the body of a message.
    static func read(_ bytes: [UInt8]) throws(XMLFailure) -> (header: XMLTree?, body: XMLTree) {
        let root = try XMLTree.read(bytes)
        guard root.name == "Envelope", let body = root["Body"] else { throw XMLFailure("it is not a message of SOAP") }
        return (root["Header"], body)
    }
}

/// The reason why a camera refuses a request (SOAP 1.2, part 1, 5.4; ONVIF Core, 5.8).
struct SOAPFault: Sendable, Hashable {
    /// The reason in the camera's words; empty if it gives none.
    let reason: String
    /// True if the request needs a user and a password.
    let needsPassword: Bool

    /// Creates the fault in a body; nil for a body without a fault.
    init?(_ body: XMLTree) {
        guard let fault = body["Fault"] else { return nil }
        var codes: [String] = []
        var code = fault["Code"]
        while let level = code {
            if let value = level.text(at: "Value") { codes.append(value) }
            code = level["Subcode"]
        }
        // Some cameras answer in SOAP 1.1.
        if let value = fault.text(at: "faultcode") { codes.append(value) }
        reason = String((fault.text(at: "Reason", "Text") ?? fault.text(at: "faultstring") ?? "").prefix(200))
        needsPassword = codes.contains { code in
            ["NotAuthorized", "FailedAuthentication", "FailedCheck"].contains { code.hasSuffix($0) }
        }
    }
}
