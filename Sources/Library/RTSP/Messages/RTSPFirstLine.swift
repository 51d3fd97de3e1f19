/// The first line of a message (RFC 2326, 6.1 and 7.1).
enum RTSPFirstLine: Sendable, Hashable {
    case response(status: Int, reason: String)
    case request(method: String, target: String)
    /// The server answers in HTTP.
    case http

    /// Parses a line with or without its end. Returns nil for a line that does not begin a message.
    init?(_ bytes: ArraySlice<UInt8>) {
        var line = bytes
        if line.last == 0x0A { line = line.dropLast() }
        if line.last == 0x0D { line = line.dropLast() }
        let words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: true)
        guard words.count >= 2 else { return nil }
        if words[0].starts(with: "RTSP/".utf8) {
            guard words[1].count <= 4, let status = Int(Self.text(words[1])), (100..<1000).contains(status) else {
                return nil
            }
            self = .response(status: status, reason: words.count > 2 ? Self.text(words[2]) : "")
        } else if words[0].starts(with: "HTTP/".utf8) {
            self = .http
        } else {
            guard words.count == 3, words[2].starts(with: "RTSP/".utf8),
                words[0].allSatisfy({ $0.isLetterOrDigit || $0 == 0x5F })
            else { return nil }
            self = .request(method: Self.text(words[0]), target: Self.text(words[1]))
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
