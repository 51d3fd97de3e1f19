import CommandInterface
import Foundation
import MediaTypes
import Testing

@testable import ONVIF
@testable import RecorderService

@Suite struct NetworkCameraListTests {
    private func camera(_ address: String, scopes: [String] = [], port: Int = 80) -> FoundNetworkCamera {
        let url = DeviceURL("http://\(address):\(port)/onvif/device_service")
        return FoundNetworkCamera(
            DiscoveredDevice(
                endpoint: address, addresses: [address], scopes: DeviceScopes(scopes), urls: [url].compactMap { $0 }))
    }

    private func profile(_ name: String, url: String?) -> FoundProfile {
        var profile = FoundProfile(
            token: name, name: name, codec: "H264", size: FrameSize(1920, 1080), frameRate: 25)
        profile.url = url
        return profile
    }

    @Test func text_ofCameras_hasProfilesAndHints() {
        let start = "onvif://www.onvif.org/"
        var open = camera("10.0.0.20", scopes: [start + "name/X1%1B[2J", start + "location/garage"])
        open.profiles = [profile("main", url: "rtsp://10.0.0.20/stream1"), profile("sub", url: nil)]
        var locked = camera("10.0.0.21", port: 8000)
        locked.needsPassword = true
        #expect(
            NetworkCameraList([open, locked]).text == """
                network cameras
                  10.0.0.20  X1\u{FFFD}[2J · garage
                    device: http://10.0.0.20/onvif/device_service
                    main: H264 1920x1080 at 25 fps
                      rtsp://10.0.0.20/stream1
                    sub: H264 1920x1080 at 25 fps
                      no URL
                  10.0.0.21
                    device: http://10.0.0.21:8000/onvif/device_service
                    needs a password: see camera-credentials
                """)
    }

    @Test func text_withoutCameras_hasTheWayOut() {
        let text = NetworkCameraList([]).text
        let parts = ["within 3 s\n", "firewall", "another network", "ONVIF is switched off"]
        #expect(parts.allSatisfy { text.contains($0) })
    }

    @Test func text_ofAProblem_namesIt() {
        var broken = camera("10.0.0.22")
        broken.problem = MediaError(.unsupported, "cannot ask 10.0.0.22", reason: "it answers with HTTP 404")
        #expect(NetworkCameraList([broken]).text.hasSuffix("\n    cannot ask 10.0.0.22: it answers with HTTP 404"))
    }

    @Test func json_ofACamera_hasEveryKey() throws {
        var open = camera("10.0.0.20")
        open.profiles = [profile("main", url: nil)]
        let object = try JSONSerialization.jsonObject(with: JSONText.data(NetworkCameraList([open])))
        let cameras = (object as? [String: Any])?["networkCameras"] as? [[String: Any]]
        #expect(
            cameras?.first.map { Set($0.keys) } == [
                "address", "name", "hardware", "location", "device", "needsPassword", "profiles", "problem",
            ])
        let profiles = cameras?.first?["profiles"] as? [[String: Any]]
        #expect(
            profiles?.first.map { Set($0.keys) } == ["name", "codec", "width", "height", "frameRate", "url"])
    }
}
