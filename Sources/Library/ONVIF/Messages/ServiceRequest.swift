/// The requests to a camera's services. They only read; none of them changes the camera.
package enum ServiceRequest: Sendable, Hashable {
    /// Asks for the addresses of the services (ONVIF Core, 8.1.2). Every camera supports this request, although newer
    /// cameras prefer `services`.
    case capabilities
    /// Asks for the addresses of the services (ONVIF Core, 8.1.2).
    case services
    /// Asks for the profiles: what the camera sends, and how it is encoded (ONVIF Media, 5.2).
    case profiles
    /// Asks for the URL of a profile's stream, for RTP over RTSP (ONVIF Media, 5.15).
    case streamURL(profile: String)

    private static let device = "http://www.onvif.org/ver10/device/wsdl"
    /// The namespace of the first media service, which every camera with profile S has.
    static let media = "http://www.onvif.org/ver10/media/wsdl"
    private static let schema = "http://www.onvif.org/ver10/schema"

    /// The action for the header Content-Type (SOAP 1.2, part 2, 6.5.3).
    var action: String {
        switch self {
        case .capabilities: "\(Self.device)/GetCapabilities"
        case .services: "\(Self.device)/GetServices"
        case .profiles: "\(Self.media)/GetProfiles"
        case .streamURL: "\(Self.media)/GetStreamUri"
        }
    }

    var body: [UInt8] {
        switch self {
        case .capabilities:
            SOAPEnvelope.bytes(
                body: "<GetCapabilities xmlns=\"\(Self.device)\"><Category>All</Category></GetCapabilities>")
        case .services:
            SOAPEnvelope.bytes(
                body: """
                    <GetServices xmlns="\(Self.device)">\
                    <IncludeCapability>false</IncludeCapability></GetServices>
                    """)
        case .profiles: SOAPEnvelope.bytes(body: "<GetProfiles xmlns=\"\(Self.media)\"/>")
        case .streamURL(let profile):
            SOAPEnvelope.bytes(
                body: """
                    <GetStreamUri xmlns="\(Self.media)" xmlns:t="\(Self.schema)"><StreamSetup>\
                    <t:Stream>RTP-Unicast</t:Stream><t:Transport><t:Protocol>RTSP</t:Protocol></t:Transport>\
                    </StreamSetup><ProfileToken>\(XMLText.escaped(profile))</ProfileToken></GetStreamUri>
                    """)
        }
    }
}
