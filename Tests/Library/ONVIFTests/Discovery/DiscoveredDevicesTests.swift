import Testing

@testable import ONVIF

@Suite struct DiscoveredDevicesTests {
    private let probe = Probe(random: 1, 2)

    private func list(most: Int = 8) -> DiscoveredDevices { DiscoveredDevices(answering: probe, most: most) }

    @Test func probe_asSent_hasItsIdentifierAndType() throws {
        let probe = Probe(random: .max, .max)
        #expect(probe.identifier == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(self.probe.identifier == "00000000-0000-4001-8000-000000000002")
        let (header, body) = try SOAPEnvelope.read(probe.bytes)
        #expect(header?.text(at: "MessageID") == "urn:uuid:\(probe.identifier)")
        #expect(body["Probe"]?.text(at: "Types") == "dn:NetworkVideoTransmitter")
    }

    @Test func answer_ofACamera_givesItsNameAndService() throws {
        var devices = list()
        devices.add(ProbeAnswer.gSOAP(to: probe), from: "192.168.1.64")
        let camera = try #require(devices.devices.first)
        #expect(camera.scopes.name == "HIKVISION DS-2CD2042WD-I")
        #expect(camera.scopes.hardware == "DS-2CD2042WD-I")
        #expect(camera.scopes.location == "country/china")
        #expect(camera.service?.description == "http://192.168.1.64/onvif/device_service")
    }

    @Test func answer_severalTimesAndFromSeveralAddresses_isOneCamera() throws {
        var devices = list()
        for sender in ["192.168.1.64", "192.168.1.64", "10.0.0.64"] {
            devices.add(ProbeAnswer.gSOAP(to: probe), from: sender)
        }
        devices.add(
            ProbeAnswer.gSOAP(
                to: probe, endpoint: "uuid:4c4c4544-0001-1000-8000-c0ffee000001", urls: "http://10.0.0.64/onvif"),
            from: "10.0.0.64")
        #expect(devices.devices.count == 1)
        let camera = try #require(devices.devices.first)
        #expect(camera.addresses == ["192.168.1.64", "10.0.0.64"])
        #expect(camera.urls.map(\.host) == ["192.168.1.64", "fe80::1", "10.0.0.64"])
    }

    @Test func answer_withoutEndpoint_isToldApartByItsAddress() {
        var devices = list()
        for sender in ["10.0.0.9", "10.0.0.9", "10.0.0.10"] { devices.add(ProbeAnswer.plain, from: sender) }
        #expect(devices.devices.map(\.addresses) == [["10.0.0.9"], ["10.0.0.10"]])
        #expect(devices.devices.map { $0.service?.port } == [8899, nil])
    }

    @Test func answer_namingAnotherHost_hasNoService() {
        var devices = list()
        devices.add(ProbeAnswer.gSOAP(to: probe), from: "10.0.0.66")
        #expect(devices.devices.count == 1 && devices.devices.first?.service == nil)
    }

    @Test func answer_toAnotherProbeOrOfAnotherDevice_isIgnored() {
        var devices = list()
        devices.add(ProbeAnswer.gSOAP(to: Probe(random: 3, 4)), from: "192.168.1.64")
        devices.add(ProbeAnswer.printer, from: "10.0.0.7")
        #expect(devices.devices.isEmpty)
    }

    @Test func answer_malformedOrCut_isIgnored() {
        var devices = list()
        let answer = ProbeAnswer.gSOAP(to: probe)
        for count in stride(from: 0, to: answer.count - 1, by: 7) {
            devices.add(Array(answer[..<count]), from: "192.168.1.64")
        }
        devices.add([0xFF, 0x00], from: "192.168.1.64")
        devices.add(Array("<a/>".utf8), from: "192.168.1.64")
        #expect(devices.devices.isEmpty)
    }

    @Test func answers_beyondTheMost_areIgnored() {
        var devices = list(most: 2)
        for number in 0..<5 {
            devices.add(ProbeAnswer.gSOAP(to: probe, endpoint: "urn:\(number)"), from: "192.168.1.64")
        }
        #expect(devices.devices.count == 2 && devices.isFull)
    }

    @Test func scopes_withBrokenEscapes_areKeptAsTheyAre() {
        let start = "onvif://www.onvif.org/"
        let scopes = DeviceScopes([
            start + "name/100%", start + "name/", "ONVIF://www.onvif.org/Location/city/K%C3%B6ln",
            start + "location/garage", start + "hardware", "name/other", start + "hardware/%FF%zz",
        ])
        #expect(scopes.name == "100%" && scopes.location == "city/Köln, garage")
        #expect(scopes.hardware == "\u{FFFD}%zz")
    }
}
