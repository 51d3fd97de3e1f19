import Glibc
import MediaTypes
import Testing

@testable import ONVIF

@Suite struct CameraInquiryTests {
    private static let address = "192.168.1.64"
    private static let media = "http://192.168.1.64/onvif/media"

    private func device(urls: [String] = ["http://192.168.1.64/onvif/device_service"]) -> DiscoveredDevice {
        DiscoveredDevice(
            endpoint: "1", addresses: [Self.address], scopes: DeviceScopes([]), urls: urls.compactMap { DeviceURL($0) })
    }

    /// Answers the requests of an inquiry in turn, until it ends.
    private func ask(
        _ device: DiscoveredDevice, _ responses: [HTTPResponse]
    ) -> (camera: FoundNetworkCamera, posts: [DevicePost]) {
        var (inquiry, posts) = (CameraInquiry(device), [DevicePost]())
        var next = inquiry.start()
        for response in responses {
            guard let post = next else { break }
            posts.append(post)
            next = inquiry.received(response)
        }
        if let post = next { posts.append(post) }
        return (inquiry.camera, posts)
    }

    @Test func camera_withoutPassword_givesItsStreams() {
        let (camera, posts) = ask(
            device(),
            [
                ServiceMessages.capabilities(media: Self.media), ServiceMessages.profiles,
                ServiceMessages.streamURL("rtsp://admin:secret@192.168.1.64:554/Streaming/101?a=1&amp;b=2"),
                ServiceMessages.streamURL("rtsp://192.168.1.64/102"),
            ])
        #expect(
            posts.map(\.request) == [
                .capabilities, .profiles, .streamURL(profile: "Profile_1"), .streamURL(profile: "Profile_2"),
            ])
        #expect(posts.map(\.url.path) == ["/onvif/device_service", "/onvif/media", "/onvif/media", "/onvif/media"])
        #expect(camera.problem == nil && !camera.needsPassword)
        #expect(camera.profiles.map(\.name) == ["mainStream", "Profile_2"])
        #expect(camera.profiles.map(\.codec) == ["H264", "JPEG"])
        #expect(camera.profiles.map(\.size) == [FrameSize(1920, 1080), nil])
        #expect(camera.profiles.map(\.frameRate) == [25, nil])
        #expect(
            camera.profiles.map(\.url) == [
                "rtsp://192.168.1.64:554/Streaming/101?a=1&b=2", "rtsp://192.168.1.64/102",
            ])
    }

    @Test func capabilities_notSupported_areReplacedByServices() {
        let (camera, posts) = ask(
            device(),
            [
                ServiceMessages.notSupported, ServiceMessages.services, ServiceMessages.profiles,
                ServiceMessages.notSupported, ServiceMessages.streamURL("http://192.168.1.64/no-stream"),
            ])
        #expect(posts.map(\.request).prefix(3) == [.capabilities, .services, .profiles])
        #expect(camera.profiles.map(\.url) == [nil, nil])
        #expect(camera.problem == nil)
    }

    @Test(arguments: [0, 1, 2], [ServiceMessages.notAuthorized, HTTPResponse(status: 401, body: [])])
    func camera_withPassword_isMarkedAndAskedNoMore(step: Int, refusal: HTTPResponse) {
        let responses = [ServiceMessages.capabilities(media: Self.media), ServiceMessages.profiles]
        let (camera, posts) = ask(device(), Array(responses.prefix(step)) + [refusal, refusal])
        #expect(camera.needsPassword && camera.problem == nil && posts.count == step + 1)
    }

    @Test(arguments: [
        "http://192.168.1.65/onvif/media", "https://192.168.1.64/onvif/media", "http://camera/onvif/media", "nothing",
    ]) func mediaService_atAnotherAddress_isNotAsked(_ media: String) {
        let (camera, posts) = ask(device(), [ServiceMessages.capabilities(media: media)])
        #expect(posts.map(\.request) == [.capabilities])
        #expect(camera.problem?.reason == "its media service is not at 192.168.1.64 over HTTP")
    }

    @Test func device_withoutUsableService_isNotAsked() {
        for (urls, reason) in [
            ([String](), "it names no address of its services"),
            (["http://192.168.1.65/"], "its services are at another address than the one that answered"),
            (["https://192.168.1.64/"], "its services are only available over HTTPS"),
        ] {
            let (camera, posts) = ask(device(urls: urls), [])
            #expect(posts.isEmpty && camera.problem?.reason == reason)
        }
    }

    @Test func answer_malformed_endsWithTheReason() {
        let garbage = HTTPResponse(status: 200, body: Array("<html><body>Hello</body>".utf8))
        let (camera, posts) = ask(device(), [garbage, garbage, garbage])
        #expect(posts.map(\.request) == [.capabilities, .services])
        #expect(camera.problem?.reason.hasPrefix("its answer is invalid") == true)
        let missing = HTTPResponse(status: 404, body: [])
        #expect(ask(device(), [missing, missing]).camera.problem?.reason == "it answers with HTTP 404")
        let none = ServiceMessages.response("<trt:GetProfilesResponse/>")
        let empty = ask(device(), [ServiceMessages.capabilities(media: Self.media), none]).camera
        #expect(empty.problem?.reason == "it has no profile with video")
    }

    @Test func inquiry_inAnyStepGivenUp_keepsWhatIsKnown() {
        var inquiry = CameraInquiry(device())
        _ = inquiry.start()
        _ = inquiry.received(ServiceMessages.capabilities(media: Self.media))
        _ = inquiry.received(ServiceMessages.profiles)
        inquiry.giveUp("it does not answer in time", code: ETIMEDOUT)
        #expect(inquiry.camera.profiles.count == 2)
        #expect(inquiry.camera.problem?.underlying == .errno(ETIMEDOUT))
        let late = inquiry.received(ServiceMessages.streamURL("rtsp://192.168.1.64/101"))
        #expect(late == nil && inquiry.camera.profiles.first?.url == nil)
    }

    @Test func cameras_ofOneNetwork_areOrderedByNumber() {
        let cameras = ["10.0.0.10", "10.0.0.9", "9.0.0.1"].map { address in
            FoundNetworkCamera(DiscoveredDevice(endpoint: "", addresses: [address], scopes: DeviceScopes([]), urls: []))
        }
        #expect(cameras.sorted(by: FoundNetworkCamera.isBefore).map(\.address) == ["9.0.0.1", "10.0.0.9", "10.0.0.10"])
    }
}
