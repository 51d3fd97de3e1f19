import Testing

@testable import ONVIF

@Suite struct DeviceURLTests {
    @Test func url_withUserAndFragment_isReadWithoutThem() throws {
        let url = try #require(DeviceURL("HTTP://admin:secret@192.168.1.64:8080/onvif/device_service?a=b#c"))
        #expect(url.host == "192.168.1.64" && url.port == 8080 && !url.isSecure)
        #expect(url.description == "http://192.168.1.64:8080/onvif/device_service?a=b")
    }

    @Test func url_withoutPath_hasASlash() {
        #expect(DeviceURL("http://Camera.local:")?.description == "http://camera.local/")
        #expect(DeviceURL("https://[fe80::1]:443?a")?.description == "https://[fe80::1]/?a")
    }

    @Test(arguments: [
        "", "http", "http:", "http://", "http:///a", "ftp://a/", "rtsp://a/", "http://a:0/", "http://a:70000/",
        "http://a:+1/", "http://[fe80::1/", "http://[]/", "http://a/b c", "http://a/\r\nHost: b", "http://é/",
    ]) func url_invalid_isRefused(_ text: String) {
        #expect(DeviceURL(text) == nil)
    }

    @Test func post_toAURL_hasItsHostAndLength() throws {
        let url = try #require(DeviceURL("http://10.0.0.2:8000/onvif/media"))
        let post = DevicePost(url: url, request: .streamURL(profile: "a<b"))
        let text = String(decoding: post.bytes, as: UTF8.self)
        #expect(text.hasPrefix("POST /onvif/media HTTP/1.1\r\nHost: 10.0.0.2:8000\r\n"))
        #expect(text.contains("Content-Length: \(post.request.body.count)\r\n"))
        let message = try SOAPEnvelope.read(post.request.body).body
        #expect(message["GetStreamUri"]?.text(at: "ProfileToken") == "a<b")
        #expect(message["GetStreamUri"]?.text(at: "StreamSetup", "Transport", "Protocol") == "RTSP")
    }
}
