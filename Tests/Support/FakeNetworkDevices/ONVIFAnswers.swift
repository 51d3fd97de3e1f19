import Foundation

/// The messages of a camera with ONVIF in software: one profile, at the loopback address.
struct ONVIFAnswers: Sendable {
    let manner: FakeONVIFCamera.Manner
    /// The port of its services.
    let port: UInt16

    /// Returns the answer to a probe (WS-Discovery, 5.3); nil for text that is none.
    func match(to probe: String) -> [UInt8]? {
        guard probe.contains("NetworkVideoTransmitter"), let start = probe.range(of: "urn:uuid:") else { return nil }
        let identifier = probe[start.upperBound...].prefix { $0 != "<" }
        return envelope(
            header: "<a:RelatesTo>urn:uuid:\(identifier)</a:RelatesTo>",
            """
            <d:ProbeMatches><d:ProbeMatch>\
            <a:EndpointReference><a:Address>urn:uuid:fake-\(port)</a:Address></a:EndpointReference>\
            <d:Types>dn:NetworkVideoTransmitter</d:Types>\
            <d:Scopes>onvif://www.onvif.org/name/Fake%20Camera onvif://www.onvif.org/hardware/F1</d:Scopes>\
            <d:XAddrs>http://127.0.0.1:\(port)/onvif/device_service</d:XAddrs></d:ProbeMatch></d:ProbeMatches>
            """)
    }

    /// Returns the name of the operation that a request asks for.
    func name(of request: String) -> String {
        ["GetCapabilities", "GetServices", "GetProfiles", "GetStreamUri"].first { request.contains("<\($0) ") } ?? "?"
    }

    /// Returns the response to a request over HTTP, in chunks for profiles.
    func response(to request: String) -> [UInt8] {
        if manner == .locked { return Array("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n".utf8) }
        switch name(of: request) {
        case "GetCapabilities":
            let host = manner == .elsewhere ? "192.0.2.1" : "127.0.0.1:\(port)"
            return http(
                """
                <x:GetCapabilitiesResponse><x:Capabilities><x:Media><x:XAddr>http://\(host)/onvif/media</x:XAddr>\
                </x:Media></x:Capabilities></x:GetCapabilitiesResponse>
                """)
        case "GetProfiles":
            return http(
                """
                <x:GetProfilesResponse><x:Profiles token="p1"><x:Name>main</x:Name><x:VideoEncoderConfiguration>\
                <x:Encoding>H264</x:Encoding>\
                <x:Resolution><x:Width>1280</x:Width><x:Height>720</x:Height></x:Resolution>\
                <x:RateControl><x:FrameRateLimit>25</x:FrameRateLimit></x:RateControl>\
                </x:VideoEncoderConfiguration></x:Profiles></x:GetProfilesResponse>
                """, isChunked: true)
        case "GetStreamUri":
            return http(
                """
                <x:GetStreamUriResponse><x:MediaUri><x:Uri>rtsp://admin:secret@127.0.0.1:554/live</x:Uri>\
                </x:MediaUri></x:GetStreamUriResponse>
                """)
        default: return Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8)
        }
    }

    private func http(_ body: String, isChunked: Bool = false) -> [UInt8] {
        let message = envelope(header: "", body)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/soap+xml\r\n"
        guard isChunked else { return Array((head + "Content-Length: \(message.count)\r\n\r\n").utf8) + message }
        var bytes = Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8)
        for start in stride(from: 0, to: message.count, by: 100) {
            let chunk = message[start..<min(start + 100, message.count)]
            bytes += Array((String(chunk.count, radix: 16) + "\r\n").utf8)
            bytes += chunk
            bytes += [0x0D, 0x0A]
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    private func envelope(header: String, _ body: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:x="urn:any" xmlns:d="urn:d" \
            xmlns:a="urn:a"><s:Header>\(header)</s:Header><s:Body>\(body)</s:Body></s:Envelope>
            """.utf8)
    }
}
