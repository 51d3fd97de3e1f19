import CommandInterface
import MediaTypes
package import NIOCore

/// The messages to a page that watches, all of which use the page's one connection: `docs/reference/web-openapi.yaml`,
/// `/api/watch`.
package enum WatchMessage {
    package enum Kind: UInt8, Sendable {
        case hello, recorder, levels, head, media, unavailable, clock
    }

    /// Makes a message with a JSON payload.
    package static func make(_ kind: Kind, of recorder: UInt16 = 0, _ value: some Encodable) -> ByteBuffer {
        make(kind, of: recorder, ByteBuffer(string: JSONText.line(value)))
    }

    package static func make(_ kind: Kind, of recorder: UInt16, _ payload: ByteBuffer) -> ByteBuffer {
        var message = ByteBuffer()
        message.reserveCapacity(8 + payload.readableBytes)
        message.writeInteger(UInt32(clamping: payload.readableBytes))
        message.writeInteger(kind.rawValue)
        message.writeInteger(UInt8(0))
        message.writeInteger(recorder)
        message.writeImmutableBuffer(payload)
        return message
    }

    /// The facts in a header message. The recorder's name is included, because a stream may begin before the recorder's
    /// first status.
    private struct HeaderInfo: Encodable {
        let name: String
        let stream: WatchedStream.Kind
        let type: String
        @OrNull var leftOut: String?
    }

    static func head(
        of number: UInt16, _ stream: WatchedStream, _ head: ByteBuffer, codecs: String, leftOut: String?
    ) -> ByteBuffer {
        let facts = ByteBuffer(
            string: JSONText.line(
                HeaderInfo(
                    name: stream.name, stream: stream.kind, type: "video/mp4; codecs=\"\(codecs)\"", leftOut: leftOut)))
        var payload = ByteBuffer()
        payload.writeInteger(UInt16(clamping: facts.readableBytes))
        payload.writeImmutableBuffer(facts)
        payload.writeImmutableBuffer(head)
        return make(.head, of: number, payload)
    }
}
