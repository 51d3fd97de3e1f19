import Testing

@testable import ONVIF

@Suite struct HTTPResponseParserTests {
    /// Returns the response to bytes that arrive in pieces of a size, before the connection ends.
    private func response(_ text: String, pieces: Int = 1) throws -> HTTPResponse {
        var parser = HTTPResponseParser()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            if let response = try parser.append(rest.prefix(pieces)) { return response }
            rest = rest.dropFirst(pieces)
        }
        return try parser.end()
    }

    @Test(arguments: [1, 2, 7, 1000]) func response_inPieces_isPutTogether(pieces: Int) throws {
        let expected = HTTPResponse(status: 200, body: Array("hello".utf8))
        let counted = "HTTP/1.1 200 OK\r\ncontent-length:  5 \r\nServer: gSOAP/2.8\r\n\r\nhello and more"
        #expect(try response(counted, pieces: pieces) == expected)
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nA: b\r\n\r\n"
        #expect(try response(chunked, pieces: pieces) == expected)
        #expect(try response("HTTP/1.0 200 OK\n\nhello", pieces: pieces) == expected)
        let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        #expect(try response(interim, pieces: pieces) == expected)
    }

    @Test func response_withoutReason_hasItsStatus() throws {
        #expect(try response("HTTP/1.1 401\r\nContent-Length: 0\r\n\r\n") == HTTPResponse(status: 401, body: []))
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "RTSP/1.0 200 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 99999999999999999999 OK\r\n\r\n", "\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
    ]) func response_malformed_isRefused(_ text: String) {
        #expect(throws: HTTPFailure.self) { try response(text) }
        #expect(throws: HTTPFailure.self) { try response(text, pieces: 1000) }
    }

    @Test func response_beyondALimit_isRefused() {
        let large = String(repeating: "a", count: HTTPResponseParser.mostBody + 1)
        let head = "HTTP/1.1 200 OK\r\n"
        for text in [
            head + "\r\n" + large, head + "Content-Length: \(large.utf8.count)\r\n\r\n" + large,
            head + "Transfer-Encoding: chunked\r\n\r\n40001\r\n" + large, head + "A: " + large,
            String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1000),
        ] {
            #expect(throws: HTTPFailure.self) { try response(text, pieces: 4096) }
        }
    }
}
