import MediaTypes
import RTSP
import TestSupport
import Testing

@Suite struct RTSPStreamParserTests {
    private func items(_ text: String, pieces: Int = .max) throws -> [RTSPStreamItem] {
        try items(Array(text.utf8), pieces: pieces)
    }

    private func items(_ bytes: [UInt8], pieces: Int = .max, channels: Set<UInt8> = []) throws -> [RTSPStreamItem] {
        var parser = RTSPStreamParser()
        parser.channels = channels
        var items: [RTSPStreamItem] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            parser.append(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            while let item = try parser.next() { items.append(item) }
        }
        return items
    }

    private func response(_ item: RTSPStreamItem?) -> RTSPResponse? {
        if case .message(.response(let response)) = item { response } else { nil }
    }

    @Test(arguments: [1, 2, 7, Int.max]) func parser_anyPieces_findsMessagesAndPackets(pieces: Int) throws {
        let parts: [[UInt8]] = [
            Array("RTSP/1.0 200 OK\r\nCSeq: 2\r\ncontent-length: 5\r\n\r\nv=0\r\n".utf8),
            [0x24, 1, 0, 3, 0x80, 0xC8, 7], Array("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8), [0x24, 0, 0, 0],
        ]
        let bytes = Array(parts.joined())
        let items = try items(bytes, pieces: pieces)
        try #require(items.count == 4)
        #expect(response(items[0])?.status == 200)
        #expect(response(items[0])?.headers["CSEQ"] == "2")
        #expect(response(items[0])?.body == Array("v=0\r\n".utf8))
        #expect(items[1] == .interleaved(channel: 1, [0x80, 0xC8, 7]))
        guard case .message(.request(let request)) = items[2] else { throw CancellationError() }
        #expect(request.method == "OPTIONS" && request.target == "*")
        #expect(items[3] == .interleaved(channel: 0, []))
    }

    @Test func parser_lineFeedsAndFoldedHeaders_areAccepted() throws {
        let items = try items(
            "RTSP/1.0 401 Unauthorized\nWWW-Authenticate: Digest realm=\"a\",\n\t nonce=\"b\"\nCSeq:3\n\n")
        let headers = response(items.first)?.headers
        #expect(headers?["WWW-Authenticate"] == "Digest realm=\"a\", nonce=\"b\"")
        #expect(headers?["CSeq"] == "3")
    }

    @Test func parser_statusWithoutReason_isAccepted() throws {
        #expect(try response(items("RTSP/1.0 200\r\n\r\n").first)?.status == 200)
    }

    @Test func parser_headerLineOf10000Bytes_isRefused() {
        let text = "RTSP/1.0 200 OK\r\nX: \(String(repeating: "a", count: 10_000))\r\n\r\n"
        let error = #expect(throws: MediaError.self) { try items(text) }
        #expect(error?.reason.contains("8192") == true)
    }

    @Test func parser_headersOver64KiB_areRefused() {
        let text =
            "RTSP/1.0 200 OK\r\n" + String(repeating: "X-Fill: \(String(repeating: "a", count: 90))\r\n", count: 800)
        #expect(throws: MediaError.self) { try items(text) }
    }

    @Test(arguments: ["300000", "-1", "9999999999999999999999", "abc"]) func parser_invalidLength_isRefused(
        _ length: String
    ) {
        #expect(throws: MediaError.self) { try items("RTSP/1.0 200 OK\r\nContent-Length: \(length)\r\n\r\n") }
    }

    @Test func parser_afterAnError_throwsTheSameAgain() throws {
        var parser = RTSPStreamParser()
        parser.append(Array("RTSP/1.0 200 OK\r\nContent-Length: x\r\n\r\n".utf8))
        let first = #expect(throws: MediaError.self) { try parser.next() }
        parser.append(Array("RTSP/1.0 200 OK\r\n\r\n".utf8))
        let second = #expect(throws: MediaError.self) { try parser.next() }
        #expect(first == second)
    }

    @Test func parser_answerInHTTP_namesThePort() {
        let error = #expect(throws: MediaError.self) { try items("HTTP/1.1 400 Bad Request\r\n\r\n") }
        #expect(error?.wayOut.contains("554") == true)
    }

    @Test func parser_junkBetweenMessages_isSkippedAndCounted() throws {
        var parser = RTSPStreamParser()
        parser.channels = [0, 1]
        parser.append([0xFF, 0xD9, 0x24, 0x07, 0xFF, 0xFF] + Array("xyzRTSP/1.0 200 OK\r\nCSeq: 9\r\n\r\n".utf8))
        #expect(try response(parser.next())?.headers["CSeq"] == "9")
        #expect(parser.junk == 9)
    }

    @Test func parser_restOfAPacket_findsTheNextPacketOfAKnownChannel() throws {
        let junk: [UInt8] = [0x41, 0x9A, 0x24, 0x63, 0x24, 0x00, 0x00, 0x02]
        let packet: [UInt8] = [0x24, 0, 0, 12] + [0x80, 96, 0, 1] + [UInt8](repeating: 0, count: 8)
        let items = try items([0x80] + junk + packet, channels: [0, 1])
        #expect(items == [.interleaved(channel: 0, Array(packet[4...]))])
    }

    @Test func parser_invalidFirstLine_isSkippedWithoutItsHeaders() throws {
        var parser = RTSPStreamParser()
        parser.append(Array("RTSP/1.0 9999 Odd\r\n".utf8))
        let nothing = try parser.next()
        #expect(nothing == nil && parser.junk == 19)
        parser.append(Array("RTSP/1.0 200 OK\r\n\r\n".utf8))
        #expect(try response(parser.next())?.status == 200)
    }

    /// Each line was once the start of a search through all later ones, and each `$` that of one through its line.
    @Test(.timeLimit(.minutes(1))) func parser_linesThatBeginNoMessage_needTimeByTheirSize() throws {
        var bytes: [UInt8] = []
        for _ in 0..<4000 { bytes += Array("RTSP/1.0 9999 x\r\n".utf8) }
        for _ in 0..<7 {
            for _ in 0..<4000 { bytes += [0x41, 0x24] }
            bytes.append(1)
        }
        let answer = Array("RTSP/1.0 200 OK\r\n\r\n".utf8)
        #expect(try items(bytes + answer, pieces: 64 << 10).count == 1)
    }

    @Test func parser_endlessJunk_isRefused() {
        #expect(throws: MediaError.self) { try items([UInt8](repeating: 0xAA, count: 200_000), pieces: 4096) }
    }

    @Test(arguments: 0..<60) func parser_mutatedStream_neverCrashesAndEndsTheSameInAnyPieces(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes: [UInt8] = []
        for _ in 0..<20 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes += Array("RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 3\r\n\r\nabc".utf8)
            case 1: bytes += [0x24, 0, 0, 4, 0x80, 96, 0, 1]
            case 2:
                bytes += (0..<Int.random(in: 0..<40, using: &random)).map { _ in .random(in: 0...255, using: &random) }
            default: bytes += Array("GET_PARAMETER rtsp://a/b RTSP/1.0\nX: \(seed)\n\n".utf8)
            }
        }
        for _ in 0..<Int.random(in: 0..<30, using: &random) {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        let complete = Result { try items(bytes, channels: [0, 1]) }
        let inPieces = Result { try items(bytes, pieces: Int.random(in: 1...9, using: &random), channels: [0, 1]) }
        switch (complete, inPieces) {
        case (.success(let a), .success(let b)): #expect(a == b)
        case (.failure, .failure): break
        default: Issue.record("the pieces decide whether the stream is valid")
        }
    }
}
