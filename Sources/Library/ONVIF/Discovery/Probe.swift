/// A probe: the message that asks all machines of a network whether they are cameras (WS-Discovery, 5.2; ONVIF Core,
/// 7.3.3).
///
/// ONVIF uses WS-Discovery of April 2005, whose messages are those of version 1.1 with other namespaces.
package struct Probe: Sendable, Hashable {
    /// The group and the port of WS-Discovery with IPv4 (WS-Discovery, 2.4).
    package static let group = "239.255.255.250"
    package static let port: UInt16 = 3702

    /// A random UUID. Each answer repeats it, and so shows which probe it answers.
    let identifier: String

    package init(random high: UInt64, _ low: UInt64) {
        // Version 4, variant 1 (RFC 9562, 5.4).
        let first = Self.hexadecimal(high & ~0xF000 | 0x4000)
        let second = Self.hexadecimal(low & ~(0b11 << 62) | 0b10 << 62)
        identifier = [
            first.prefix(8), first.dropFirst(8).prefix(4), first.suffix(4), second.prefix(4), second.dropFirst(4),
        ].map { String($0) }.joined(separator: "-")
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }

    package var bytes: [UInt8] {
        SOAPEnvelope.bytes(
            header: """
                <a:MessageID xmlns:a="\(Self.addressing)">urn:uuid:\(identifier)</a:MessageID>\
                <a:To xmlns:a="\(Self.addressing)">urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To>\
                <a:Action xmlns:a="\(Self.addressing)">\(Self.discovery)/Probe</a:Action>
                """,
            body: """
                <d:Probe xmlns:d="\(Self.discovery)">\
                <d:Types xmlns:dn="http://www.onvif.org/ver10/network/wsdl">dn:NetworkVideoTransmitter</d:Types>\
                </d:Probe>
                """)
    }

    private static let addressing = "http://schemas.xmlsoap.org/ws/2004/08/addressing"
    private static let discovery = "http://schemas.xmlsoap.org/ws/2005/04/discovery"
}
