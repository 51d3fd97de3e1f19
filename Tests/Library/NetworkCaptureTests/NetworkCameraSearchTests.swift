import FakeNetworkDevices
import Glibc
import MediaTypes
import ONVIF
import Testing

@testable import NetworkCapture

/// The search for network cameras, with cameras in software that get their probes by unicast on the loopback interface.
@Suite(.timeLimit(.minutes(5))) struct NetworkCameraSearchTests {
    /// Returns a search that ends once all of these cameras have answered.
    private func search(_ cameras: [FakeONVIFCamera]) throws -> NetworkCameraSearch {
        let loopback = try #require(NameResolver().numeric("127.0.0.1")?.first)
        var search = NetworkCameraSearch()
        search.routes = try cameras.map { camera in
            ProbeRoute(
                source: try #require(loopback.with(port: 0)),
                target: try #require(loopback.with(port: camera.probePort)))
        }
        search.duration = 120_000_000_000
        search.inquiryTime = 120_000_000_000
        search.mostCameras = cameras.count
        return search
    }

    @Test func search_cameraWithoutPassword_givesItsStream() throws {
        let camera = try FakeONVIFCamera(.open)
        defer { camera.end() }
        let found = try search([camera]).run()
        #expect(found.count == 1)
        let first = try #require(found.first)
        #expect(first.address == "127.0.0.1" && first.scopes.name == "Fake Camera" && first.scopes.hardware == "F1")
        #expect(first.device?.port == camera.servicePort)
        #expect(first.problem == nil && !first.needsPassword)
        #expect(first.profiles.map(\.name) == ["main"])
        #expect(first.profiles.map(\.codec) == ["H264"])
        #expect(first.profiles.map(\.size) == [FrameSize(1280, 720)])
        #expect(first.profiles.map(\.frameRate) == [25])
        #expect(first.profiles.map(\.url) == ["rtsp://127.0.0.1:554/live"])
        #expect(camera.requests == ["GetCapabilities", "GetProfiles", "GetStreamUri"])
    }

    @Test func search_severalCameras_asksEach() throws {
        let cameras = try [FakeONVIFCamera.Manner.open, .locked, .endless, .elsewhere].map { try FakeONVIFCamera($0) }
        defer { for camera in cameras { camera.end() } }
        let found = try search(cameras).run()
        #expect(found.count == 4)
        func camera(_ index: Int) -> FoundNetworkCamera? {
            found.first { $0.device?.port == cameras[index].servicePort }
        }
        #expect(camera(0)?.profiles.first?.url != nil)
        #expect(camera(1)?.needsPassword == true && cameras[1].requests == ["GetCapabilities"])
        #expect(camera(2)?.problem?.reason == "its answer is longer than \(HTTPResponseParser.mostBody) bytes")
        #expect(camera(3)?.problem?.reason == "its media service is not at 127.0.0.1 over HTTP")
        #expect(cameras[3].requests == ["GetCapabilities"])
    }

    @Test func search_cameraThatDoesNotAnswer_endsInTime() throws {
        let camera = try FakeONVIFCamera(.deaf)
        defer { camera.end() }
        var search = try search([camera])
        search.inquiryTime = 100_000_000
        let found = try search.run()
        #expect(found.first?.problem?.underlying == .errno(ETIMEDOUT))
    }

    @Test func search_withoutCameras_findsNone() throws {
        let camera = try FakeONVIFCamera(.open)
        camera.end()
        var search = try search([camera])
        search.routes = search.routes.map { routes in
            routes.compactMap { route in
                // Nothing listens on port 9 (discard) of the loopback interface.
                route.target.with(port: 9).map { ProbeRoute(source: route.source, target: $0) }
            }
        }
        search.duration = 50_000_000
        #expect(try search.run().isEmpty)
    }

    @Test func search_withoutInterfaces_reportsTheWayOut() {
        var search = NetworkCameraSearch()
        search.routes = []
        let error = #expect(throws: MediaError.self) { try search.run() }
        #expect(error?.wayOut == "connect this machine to the cameras' network")
    }

    @Test func timeout_ofPoll_isRoundedUpAndLimited() {
        #expect(PollTimeout.milliseconds(until: 1, now: 0) == 1)
        #expect(PollTimeout.milliseconds(until: 3_000_000, now: 1_000_000) == 2)
        #expect(PollTimeout.milliseconds(until: 0, now: 5) == 0)
        #expect(PollTimeout.milliseconds(until: .max, now: -1) == .max)
    }
}
