/// The transport of one stream: the `Transport` header (RFC 2326, 12.39).
package enum RTSPTransport: Sendable, Hashable {
    /// Packets within the RTSP connection, RTP on one channel and RTCP on another one.
    case interleaved(rtp: UInt8, rtcp: UInt8)
    /// Packets in datagrams.
    ///
    /// - Parameters:
    ///   - client: This machine's port for RTP; RTCP uses the next one.
    ///   - server: The camera's port for RTP; nil if it did not name any.
    ///   - source: The address from which the camera sends, if the camera named one.
    case datagrams(client: UInt16, server: UInt16?, source: String?)

    /// The header of a request.
    package var request: String {
        switch self {
        case .interleaved(let rtp, let rtcp): "RTP/AVP/TCP;unicast;interleaved=\(rtp)-\(rtcp)"
        case .datagrams(let client, _, _): "RTP/AVP;unicast;client_port=\(client)-\(Int(client) + 1)"
        }
    }

    /// Returns the transport that a camera chose in its response.
    ///
    /// A camera may choose other channels. Values that it leaves out are as requested.
    ///
    /// - Returns: nil if it chose a different kind of transport than requested.
    package func answered(by header: String?) -> RTSPTransport? {
        guard let header else { return self }
        // A server may list several; the first one counts.
        let fields = (header.split(separator: ",").first ?? "").split(separator: ";").map { $0.withoutSpaces }
        guard let kind = fields.first else { return self }
        let isTCP = kind.isSame(as: "RTP/AVP/TCP") || fields.contains { $0.lowercased().hasPrefix("interleaved") }
        func value(_ name: String) -> Substring? {
            for field in fields {
                if let (key, value) = field.parted(by: "="), key.withoutSpaces.isSame(as: name) {
                    return value.withoutSpaces.withoutQuotes
                }
            }
            return nil
        }
        switch self {
        case .interleaved(let rtp, _):
            guard isTCP else { return nil }
            guard let (first, second) = Self.pair(value("interleaved"), UInt8.self) else { return self }
            return .interleaved(rtp: first, rtcp: second ?? (first == .max ? rtp : first + 1))
        case .datagrams(let client, _, _):
            guard !isTCP, !fields.contains(where: { $0.isSame(as: "multicast") }) else { return nil }
            let server = Self.pair(value("server_port"), UInt16.self)?.first
            let source = value("source").map(String.init)
            return .datagrams(client: client, server: server == 0 ? nil : server, source: source)
        }
    }

    private static func pair<Number: FixedWidthInteger>(
        _ text: Substring?, _: Number.Type
    ) -> (first: Number, second: Number?)? {
        guard let parts = text?.split(separator: "-", maxSplits: 1), let first = parts.first.flatMap({ Number($0) })
        else { return nil }
        return (first, parts.count > 1 ? Number(parts[1]) : nil)
    }
}
