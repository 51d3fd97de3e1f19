/// One stream of a camera as its session description offers it (RFC 8866, 5.14).
package struct MediaDescription: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case video, audio
        /// Metadata and the like: `application`.
        case other(String)
    }

    package enum Direction: String, Sendable, Hashable {
        case sendAndReceive = "sendrecv"
        case receiveOnly = "recvonly"
        case sendOnly = "sendonly"
        case inactive
    }

    package var kind: Kind
    /// The transport protocol: `RTP/AVP`.
    package var transport: String
    /// The payload formats in the order of preference.
    package var formats: [PayloadFormat]
    /// The control attribute: the URL of the stream, absolute or relative; nil if there is none.
    package var control: String?
    package var direction: Direction
    /// The frame rate of video; nil if not specified.
    package var frameRate: Double?

    package init(
        kind: Kind, transport: String = "RTP/AVP", formats: [PayloadFormat] = [], control: String? = nil,
        direction: Direction = .sendAndReceive, frameRate: Double? = nil
    ) {
        self.kind = kind
        self.transport = transport
        self.formats = formats
        self.control = control
        self.direction = direction
        self.frameRate = frameRate
    }
}

/// A payload format: what the packets with one payload type contain (RFC 8866, 6.6).
package struct PayloadFormat: Sendable, Hashable {
    package var payloadType: UInt8
    /// The encoding in upper case: `H264`, `PCMU`; empty if unknown.
    package var encoding: String
    /// Ticks of the RTP clock in a second; 0 if unknown.
    package var clockRate: Int
    /// The channel count of audio.
    package var channels: Int
    package var parameters: FormatParameters

    package init(
        payloadType: UInt8, encoding: String, clockRate: Int, channels: Int = 1,
        parameters: FormatParameters = FormatParameters()
    ) {
        self.payloadType = payloadType
        self.encoding = encoding
        self.clockRate = clockRate
        self.channels = channels
        self.parameters = parameters
    }

    /// Returns the format of a payload type that needs no description (RFC 3551, tables 4 and 5); nil for others.
    static func fixed(_ payloadType: UInt8) -> PayloadFormat? {
        let known: [UInt8: (encoding: String, clockRate: Int, channels: Int)] = [
            0: ("PCMU", 8000, 1), 3: ("GSM", 8000, 1), 8: ("PCMA", 8000, 1), 9: ("G722", 8000, 1),
            10: ("L16", 44_100, 2), 11: ("L16", 44_100, 1), 14: ("MPA", 90_000, 1), 26: ("JPEG", 90_000, 1),
            32: ("MPV", 90_000, 1), 33: ("MP2T", 90_000, 1),
        ]
        return known[payloadType].map {
            PayloadFormat(
                payloadType: payloadType, encoding: $0.encoding, clockRate: $0.clockRate, channels: $0.channels)
        }
    }
}
