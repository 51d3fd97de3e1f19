/// Parses one HTTP response from the bytes of a connection, which may arrive in pieces of any size. A pure value.
package struct HTTPResponseParser: Sendable {
    /// The maximum number of bytes of the status line and all headers.
    package static let mostHead = 16 << 10
    package static let mostBody = 256 << 10
    /// The maximum number of bytes in the line with a chunk's size.
    private static let mostLine = 1 << 10

    private enum State: Sendable {
        case head
        /// A body of a known length.
        case counted(Int)
        /// A body that ends with the connection.
        case untilEnd
        case chunkSize
        case chunk(Int)
        /// The line end after a chunk.
        case chunkEnd
        /// The lines after the last chunk.
        case trailer
        case complete
    }

    private var state = State.head
    /// The bytes that were received and not parsed yet.
    private var buffer: [UInt8] = []
    /// The number of bytes at the start of `buffer` that were searched for a line end.
    private var searched = 0
    private var headBytes = 0
    private var lines: [String] = []
    private var status = 0
    private var body: [UInt8] = []

    package init() {}

    /// Adds bytes of the connection. Returns the response once it is complete, and ignores all further bytes.
    package mutating func append(_ bytes: some Sequence<UInt8>) throws(HTTPFailure) -> HTTPResponse? {
        if let response { return response }
        buffer.append(contentsOf: bytes)
        while try step() {}
        return response
    }

    /// Returns the response at the end of the connection.
    package mutating func end() throws(HTTPFailure) -> HTTPResponse {
        if case .untilEnd = state { state = .complete }
        guard let response else { throw HTTPFailure("its answer ends too early") }
        return response
    }

    private var response: HTTPResponse? {
        guard case .complete = state else { return nil }
        return HTTPResponse(status: status, body: body)
    }

    /// Does one step. Returns false if it needs more bytes, or the response is complete.
    private mutating func step() throws(HTTPFailure) -> Bool {
        switch state {
        case .head:
            guard let line = try self.line(most: Self.mostHead) else { return false }
            headBytes += line.utf8.count + 2
            guard headBytes <= Self.mostHead else { throw HTTPFailure("its headers are too long") }
            if line.isEmpty { try readHead() } else { lines.append(line) }
        case .counted(let count):
            guard buffer.count >= count else { return false }
            body = Array(buffer.prefix(count))
            state = .complete
        case .untilEnd:
            try take(buffer.count)
            return false
        case .chunkSize:
            guard let line = try self.line(most: Self.mostLine) else { return false }
            let digits = line.prefix { $0.isASCII && $0.isHexDigit }
            guard let count = Int(digits, radix: 16) else { throw HTTPFailure("a chunk of its answer has no size") }
            state = count == 0 ? .trailer : .chunk(count)
        case .chunk(let count):
            guard count <= Self.mostBody - body.count else { throw Self.tooLong }
            guard buffer.count >= count else { return false }
            try take(count)
            state = .chunkEnd
        case .chunkEnd:
            guard let line = try self.line(most: Self.mostLine) else { return false }
            guard line.isEmpty else { throw HTTPFailure("a chunk of its answer is longer than its size") }
            state = .chunkSize
        case .trailer:
            guard let line = try self.line(most: Self.mostLine) else { return false }
            headBytes += line.utf8.count + 2
            guard headBytes <= Self.mostHead else { throw HTTPFailure("its headers are too long") }
            if line.isEmpty { state = .complete }
        case .complete: return false
        }
        return true
    }

    private static let tooLong = HTTPFailure("its answer is longer than \(mostBody) bytes")

    /// Moves bytes to the body.
    private mutating func take(_ count: Int) throws(HTTPFailure) {
        guard count <= Self.mostBody - body.count else { throw Self.tooLong }
        body += buffer.prefix(count)
        buffer.removeFirst(count)
        searched = 0
    }

    /// Returns the next line without its end; nil if it is not complete.
    private mutating func line(most: Int) throws(HTTPFailure) -> String? {
        guard let end = buffer[searched...].firstIndex(of: 0x0A) else {
            searched = buffer.count
            guard searched <= most else { throw HTTPFailure("its headers are too long") }
            return nil
        }
        var line = buffer[..<end]
        if line.last == 0x0D { line = line.dropLast() }
        let text = String(decoding: line, as: UTF8.self)
        buffer.removeFirst(end + 1)
        searched = 0
        return text
    }

    /// Reads the status line and the headers, and decides how the body ends (RFC 9112, 6.3).
    private mutating func readHead() throws(HTTPFailure) {
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]), (100..<600).contains(status)
        else { throw HTTPFailure("it does not answer in HTTP") }
        defer { lines = [] }
        // This is an interim response, such as 100 Continue. The final response follows.
        guard status >= 200 else { return }
        self.status = status
        if value(of: "transfer-encoding")?.lowercased().contains("chunked") == true {
            state = .chunkSize
        } else if let length = value(of: "content-length") {
            guard let count = Int(length), count >= 0 else {
                throw HTTPFailure("the length of its answer is not a number")
            }
            guard count <= Self.mostBody else { throw Self.tooLong }
            state = .counted(count)
        } else {
            state = status == 204 ? .complete : .untilEnd
        }
    }

    private func value(of name: String) -> String? {
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return String(value.prefix { $0 != " " && $0 != "\t" })
        }
        return nil
    }
}
