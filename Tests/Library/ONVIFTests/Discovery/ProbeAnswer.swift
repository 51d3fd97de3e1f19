@testable import ONVIF

/// Answers to probes in the form of several makers.
enum ProbeAnswer {
    static let scopes = """
        onvif://www.onvif.org/type/video_encoder onvif://www.onvif.org/Profile/Streaming
        onvif://www.onvif.org/location/country/china onvif://www.onvif.org/hardware/DS-2CD2042WD-I
        onvif://www.onvif.org/name/HIKVISION%20DS-2CD2042WD-I
        """

    /// The answer of a camera with gSOAP, with many namespaces.
    static func gSOAP(
        to probe: Probe, endpoint: String = "urn:uuid:4C4C4544-0001-1000-8000-C0FFEE000001",
        urls: String = "http://192.168.1.64/onvif/device_service http://[fe80::1]/onvif/device_service",
        scopes: String = ProbeAnswer.scopes
    ) -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope" \
            xmlns:wsadis="http://schemas.xmlsoap.org/ws/2004/08/addressing" \
            xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery" \
            xmlns:dn="http://www.onvif.org/ver10/network/wsdl" xmlns:tds="http://www.onvif.org/ver10/device/wsdl">\
            <env:Header><wsadis:MessageID>urn:uuid:1</wsadis:MessageID>
            <wsadis:RelatesTo>urn:uuid:\(probe.identifier)</wsadis:RelatesTo>
            <wsadis:To>http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous</wsadis:To>
            <d:AppSequence InstanceId="1637077188" MessageNumber="12"/></env:Header>
            <env:Body><d:ProbeMatches><d:ProbeMatch><wsadis:EndpointReference>
            <wsadis:Address>\(endpoint)</wsadis:Address></wsadis:EndpointReference>
            <d:Types>dn:NetworkVideoTransmitter tds:Device</d:Types>
            <d:Scopes>\(scopes)</d:Scopes><d:XAddrs>\(urls)</d:XAddrs>
            <d:MetadataVersion>10</d:MetadataVersion></d:ProbeMatch></d:ProbeMatches></env:Body></env:Envelope>
            """.utf8)
    }

    /// The answer of a plain camera: default namespaces, no related message, no types.
    static let plain = Array(
        """
        <Envelope xmlns="http://www.w3.org/2003/05/soap-envelope"><Body>\
        <ProbeMatches xmlns="http://schemas.xmlsoap.org/ws/2005/04/discovery"><ProbeMatch>\
        <EndpointReference xmlns="http://schemas.xmlsoap.org/ws/2004/08/addressing"><Address/></EndpointReference>\
        <XAddrs>http://10.0.0.9:8899/onvif/device_service</XAddrs></ProbeMatch></ProbeMatches></Body></Envelope>
        """.utf8)

    /// The answer of a printer, which answers each probe.
    static let printer = Array(
        """
        <s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><d:ProbeMatches xmlns:d="urn:d">\
        <d:ProbeMatch><d:Types>wsdp:PrintDeviceType</d:Types><d:XAddrs>http://10.0.0.7/</d:XAddrs></d:ProbeMatch>\
        </d:ProbeMatches></s:Body></s:Envelope>
        """.utf8)
}
