package import MediaTypes

/// One item of an RTSP connection.
package enum RTSPStreamItem: Sendable, Hashable {
    case message(RTSPMessage)
    /// A packet of RTP or RTCP within the connection (RFC 2326, 10.12).
    case interleaved(channel: UInt8, [UInt8])
}

/// Splits the byte stream of an RTSP connection into items. The bytes may arrive in pieces of any size. A pure value.
///
/// Bytes that begin neither a message nor a packet are skipped, up to `mostJunk` in a row: some cameras send the rest of
/// a packet after a message, or a message within a packet. After an error the connection is unusable.
package struct RTSPStreamParser: Sendable {
    /// The maximum number of bytes of all headers of a message.
    package static let mostHead = 64 << 10
    /// The maximum number of bytes of one header line.
    package static let mostLine = 8 << 10
    package static let mostBody = 256 << 10
    /// The maximum number of bytes that are skipped between two items.
    package static let mostJunk = 128 << 10

    /// The channels that the session negotiated. While bytes are skipped, only these can begin a packet.
    package var channels: Set<UInt8> = []
    /// The number of bytes that were skipped.
    package private(set) var junk: Int64 = 0

    private var buffer: [UInt8] = []
    /// The position of the first byte that was not returned.
    private var start = 0
    /// The position up to which there is no end of the headers.
    private var searched = 0
    /// The position of the line that contains `searched`.
    private var line = 0
    /// The end of a line that contains a control character. No part of this line can be the first line of a message.
    private var unusable = 0
    /// A message that waits for its body.
    private var waiting: (message: RTSPMessage, count: Int)?
    private var junkInARow = 0
    private var failure: MediaError?

    package init() {}

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            (searched, line, unusable, start) = (searched - start, line - start, max(0, unusable - start), 0)
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next complete item; nil if more bytes are needed.
    ///
    /// - Throws: An error if a limit is exceeded or the other side does not speak RTSP. Every later call throws the
    ///   same error.
    package mutating func next() throws(MediaError) -> RTSPStreamItem? {
        if let failure { throw failure }
        do throws(MediaError) {
            return try parse()
        } catch {
            failure = error
            buffer = []
            (start, searched, line, unusable) = (0, 0, 0, 0)
            throw error
        }
    }

    private mutating func parse() throws(MediaError) -> RTSPStreamItem? {
        while true {
            if let waiting {
                guard buffer.count - start >= waiting.count else { return nil }
                self.waiting = nil
                let body = Array(buffer[start..<(start + waiting.count)])
                consume(waiting.count)
                return .message(waiting.message.with(body: body))
            }
            guard start < buffer.count else { return nil }
            switch buffer[start] {
            case 0x24:
                switch frame() {
                case .complete(let count):
                    let item = RTSPStreamItem.interleaved(
                        channel: buffer[start + 1], Array(buffer[(start + 4)..<(start + count)]))
                    consume(count)
                    return item
                case .incomplete: return nil
                case .invalid: try skip(1)
                }
            case 0x0D, 0x0A: consume(1, isItem: false)  // empty lines may precede a message (RFC 2326, 4.1)
            // Without this case, each byte of such a line would start another search.
            case _ where start < unusable: try skip(1)
            case 0x41...0x5A, 0x61...0x7A:
                switch try findHead() {
                case .complete(let head):
                    if let item = try message(head) { return item }
                case .incomplete: return nil
                case .invalid(let end): try skipLine(to: end)
                }
            default: try skip(1)
            }
        }
    }

    private enum Frame {
        case complete(Int)
        case incomplete, invalid
    }

    /// Examines the bytes at `start`, which begin with `$`. Among junk, a packet must have a known channel and the
    /// version of RTP.
    private func frame() -> Frame {
        let available = buffer.count - start
        guard available >= 4 else { return .incomplete }
        let count = Int(buffer[start + 2]) << 8 | Int(buffer[start + 3])
        if junkInARow > 0 {
            guard channels.contains(buffer[start + 1]), count >= 4 else { return .invalid }
            guard available >= 5 else { return .incomplete }
            guard buffer[start + 4] >> 6 == 2 else { return .invalid }
        }
        return available >= count + 4 ? .complete(count + 4) : .incomplete
    }

    private enum Head {
        case complete(Range<Int>)
        case incomplete
        case invalid(end: Int)
    }

    /// Searches the first line and the headers at `start`, up to the empty line.
    private mutating func findHead() throws(MediaError) -> Head {
        if searched < start { (searched, line) = (start, start) }
        while searched < buffer.count {
            let byte = buffer[searched]
            searched += 1
            let isFirst = line == start
            if byte == 0x0A {
                let isEmpty = line + 1 == searched || (line + 2 == searched && buffer[line] == 0x0D)
                // The first line is checked before the headers are searched, so that no byte is searched twice.
                if isFirst, RTSPFirstLine(buffer[start..<searched]) == nil { return .invalid(end: searched) }
                line = searched
                if isEmpty { return .complete(start..<searched) }
            } else if isFirst, byte < 0x20, byte != 0x0D, byte != 0x09 {
                unusable = searched
                return .invalid(end: searched)
            } else if searched - line > Self.mostLine {
                throw error("a header line is longer than \(Self.mostLine) bytes")
            }
            if searched - start > Self.mostHead { throw error("its headers are longer than \(Self.mostHead) bytes") }
        }
        return .incomplete
    }

    /// Returns the message with these headers if it has no body; skips them if they are not a message.
    private mutating func message(_ head: Range<Int>) throws(MediaError) -> RTSPStreamItem? {
        guard let message = try RTSPMessage.parse(head: buffer[head]) else {
            try skip(head.count)
            return nil
        }
        let count = try bodyCount(message.headers)
        consume(head.count)
        if count == 0 { return .message(message) }
        waiting = (message, count)
        return nil
    }

    /// Skips bytes up to `end`, or to the next ones that may begin a packet or a response.
    private mutating func skipLine(to end: Int) throws(MediaError) {
        let response = Array("RTSP/".utf8)
        var place = start + 1
        while place < end, buffer[place] != 0x24, !buffer[place..<end].starts(with: response) { place += 1 }
        try skip(place - start)
    }

    private func bodyCount(_ headers: RTSPHeaders) throws(MediaError) -> Int {
        guard let text = headers["Content-Length"], !text.isEmpty else { return 0 }
        guard let count = Int(text), count >= 0 else { throw error("its Content-Length is not a number") }
        guard count <= Self.mostBody else { throw error("its body is longer than \(Self.mostBody) bytes") }
        return count
    }

    private mutating func consume(_ count: Int, isItem: Bool = true) {
        start += count
        (searched, line) = (start, start)
        if isItem { junkInARow = 0 }
    }

    private mutating func skip(_ count: Int) throws(MediaError) {
        consume(count, isItem: false)
        junk += Int64(count)
        junkInARow += count
        guard junkInARow <= Self.mostJunk else { throw error("it sends bytes that are not RTSP") }
    }

    private func error(_ reason: String) -> MediaError {
        MediaError(
            .corruptData, "cannot read what the camera sends", reason: reason,
            wayOut: "check that the URL is an RTSP URL, and update the camera's firmware")
    }
}
