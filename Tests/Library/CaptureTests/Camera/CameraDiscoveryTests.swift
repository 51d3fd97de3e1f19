import RealTime
import TestSupport
import Testing

@testable import Capture

@Suite struct CameraDiscoveryTests {
    private static let webcam = CameraIdentity(bus: "usb-0000:00:14.0-2", card: "Webcam")
    private static let other = CameraIdentity(bus: "usb-0000:00:14.0-3", card: "Webcam")

    @Test func path_driverOfAnotherNodeHangs_isFoundAndAsksItOnce() async throws {
        let isFree = Locked(false)
        let asked = Locked<[String]>([])
        let probes = NodeProbes<CameraIdentity?> { path in
            asked.withLock { $0.append(path) }
            if path == "hung" { isFree.waiting { $0 ? () : nil } }
            return path == "webcam" ? Self.webcam : nil
        }
        let nodes = ["hung", "webcam"]
        for _ in 0..<3 {
            #expect(CameraDiscovery.path(of: Self.webcam, among: nodes, probes, patience: 60_000_000_000) == "webcam")
        }
        #expect(CameraDiscovery.path(of: Self.other, among: nodes, probes, patience: 1_000_000) == nil)
        try await waitUntil { asked.withLock { $0.contains("hung") } }
        #expect(asked.withLock { $0.filter { $0 == "hung" }.count } == 1)
        isFree.withLock { $0 = true }
        isFree.broadcast()
        // The driver responds again.
        try await waitUntil {
            _ = probes.answers(of: nodes, patience: 1_000_000_000)
            return asked.withLock { $0.filter { $0 == "hung" }.count } > 1
        }
    }

    @Test(
        arguments: [
            ("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0", true),
            ("/sys/devices/pci0000:00/0000:00:14.0/usb3/3-2/3-2:1.0", true),
            ("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3:1.0", false),
            ("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2.1/1-2.1:1.0", false),
            ("/sys/devices/pci0000:00/0000:00:15.0/usb1/1-2/1-2:1.0", false),
            ("/sys/devices/platform/vivid.0", false),
        ] as [(String, Bool)])
    func identity_ofAUSBCamera_mayBeADeviceAtItsPort(device: String, isPossible: Bool) {
        #expect(Self.webcam.mayBe(device: device) == isPossible)
    }

    @Test func identity_behindAHub_isComparedWithItsWholePort() {
        let camera = CameraIdentity(bus: "usb-3f980000.usb-1.2.4", card: "Webcam")
        #expect(camera.mayBe(device: "/sys/devices/platform/soc/3f980000.usb/usb1/1-1/1-1.2/1-1.2.4/1-1.2.4:1.0"))
        #expect(!camera.mayBe(device: "/sys/devices/platform/soc/3f980000.usb/usb1/1-1/1-1.2/1-1.2:1.0"))
    }

    @Test func identity_ofAnotherBus_mayBeAnyDevice() {
        let camera = CameraIdentity(bus: "platform:vivid-000", card: "vivid")
        #expect(camera.mayBe(device: "/sys/devices/platform/vivid.0"))
    }
}
