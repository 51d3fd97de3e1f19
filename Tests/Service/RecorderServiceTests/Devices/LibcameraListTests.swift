import Capture
import Foundation
import LibcameraCapture
import MediaTypes
import Testing

@testable import RecorderService

/// How cameras behind libcamera are listed and found.
@Suite struct LibcameraListTests {
    private static let gain = LibcameraDevice.Control(
        listing: ControlListing(
            name: "AnalogueGain", kind: .float, minimum: 1, maximum: 10.666666984558105, initial: 1))
    private static let focus = LibcameraDevice.Control(
        listing: ControlListing(name: "AfMode", kind: .integer, minimum: 0, maximum: 2),
        choices: [ControlChoice(value: 0, name: "Manual"), ControlChoice(value: 1, name: "")])

    private static func camera(
        _ identifier: String, _ model: String, nodes: [UInt64] = [], controls: [LibcameraDevice.Control] = []
    ) -> LibcameraDevice {
        LibcameraDevice(
            listing: CameraListing(identifier: identifier, model: model), nodes: nodes, controls: controls)
    }

    private func lines(_ cameras: LibcameraCameras, parts: [String] = [], withControls: Bool = false) -> [String] {
        let list = DeviceList(cameras: [], microphones: [], libcamera: cameras, parts: parts)
        let lines = list.described(withControls: withControls).split(separator: "\n").map(String.init)
        return Array(lines.dropFirst().prefix { !$0.hasPrefix("  test") })
    }

    @Test func list_cameraWithControls_isListedByItsNames() throws {
        // A node that every machine has.
        let number = try #require(CameraDiscovery.number(of: "/dev/null"))
        let camera = Self.camera("/base/imx708@1a", "imx708", nodes: [number], controls: [Self.gain, Self.focus])
        let cameras = LibcameraCameras(cameras: [camera])
        let names = ["  libcamera:/base/imx708@1a  imx708", "    as libcamera:imx708", "    made of /dev/null"]
        #expect(lines(cameras, parts: ["/dev/null", "/dev/zero"]) == names)
        let controls = ["    control AnalogueGain  1 to 10.666667, begins at 1", "    control AfMode  0 Manual, 1"]
        #expect(lines(cameras, parts: ["/dev/null"], withControls: true) == names + controls)
        #expect(cameras.names(ofNode: "/dev/null") == ["libcamera:/base/imx708@1a"])
        #expect(cameras.names(ofNode: "/dev/zero").isEmpty && cameras.names(ofNode: "/nowhere").isEmpty)
    }

    @Test func list_twoCamerasOfAModel_areNamedByTheirIdentifiers() {
        let cameras = LibcameraCameras(cameras: [Self.camera("a", "imx219"), Self.camera("b", "imx219")])
        #expect(lines(cameras) == ["  libcamera:a  imx219", "  libcamera:b  imx219"])
        let error = #expect(throws: MediaError.self) { try cameras.camera(named: "imx219") }
        #expect(error?.code == .notFound && error?.reason == "2 cameras are of this model")
    }

    @Test func list_ofAMissingProgram_namesThePackage() {
        let nodes = CameraDiscovery.Nodes(parts: ["/dev/video0"])
        let cameras = LibcameraCameras.search(LibcameraProgram(places: []), besides: nodes)
        #expect(cameras.problem?.wayOut.contains("apt install recorder-libcamera") == true)
        #expect(lines(cameras).count == 2)
        // It is not needed without such a node.
        let none = LibcameraCameras.search(LibcameraProgram(places: []), besides: CameraDiscovery.Nodes())
        #expect(none.cameras.isEmpty && none.problem == nil)
    }

    @Test func camera_byIdentifierOrModel_isFound() throws {
        let cameras = LibcameraCameras(cameras: [Self.camera("a", "imx219"), Self.camera("b", "imx708")])
        #expect(try cameras.camera(named: "a").listing.model == "imx219")
        #expect(try cameras.camera(named: "imx708").listing.identifier == "b")
        let error = #expect(throws: MediaError.self) { try cameras.camera(named: "c") }
        #expect(error?.wayOut == "it lists libcamera:a, libcamera:b")
        let none = #expect(throws: MediaError.self) { try LibcameraCameras().camera(named: "c") }
        #expect(none?.wayOut.contains("another program") == true)
    }

    @Test func list_asJSON_hasControlsAndNodes() throws {
        let cameras = LibcameraCameras(cameras: [Self.camera("a", "", controls: [Self.gain])])
        let list = DeviceList(cameras: [], microphones: [], libcamera: cameras)
        let data = try JSONEncoder().encode(list)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let camera = try #require((object["cameras"] as? [[String: Any]])?.first)
        #expect(camera["device"] as? String == "libcamera:a" && camera["name"] as? String == "a")
        let control = try #require((camera["controls"] as? [[String: Any]])?.first)
        #expect(control["name"] as? String == "AnalogueGain" && control["minimum"] as? Double == 1)
        #expect(camera["nodes"] as? [String] == [] && camera["defaultMode"] is NSNull)
    }
}
