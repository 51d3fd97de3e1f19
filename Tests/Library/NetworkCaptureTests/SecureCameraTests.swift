import FakeNetworkDevices
import MediaTypes
import RTSP
import RealTime
import TestSupport
import Testing

@testable import NetworkCapture

/// A network camera with TLS against a server in software, over real sockets of the loopback interface.
@Suite(.timeLimit(.minutes(5))) struct SecureCameraTests {
    private static let count = 70

    private func script(_ change: (inout CameraScript) -> Void = { _ in }) throws -> CameraScript {
        var script = try CameraScript(movie: Project.path("Tests/Movies/car-detection.mp4"), frames: Self.count)
        script.user = ("admin", "geheim")
        change(&script)
        return script
    }

    /// Returns the settings for a camera.
    ///
    /// - Parameter authorities: The certificates to trust; nil for those that the system trusts.
    private func setup(_ camera: FakeNetworkCamera, trusting authorities: [UInt8]?) throws -> NetworkCameraSetup {
        var setup = NetworkCameraSetup(try RTSPURL.parse(camera.url).url) { () throws(MediaError) in
            Credentials(user: "admin", password: "geheim")
        }
        setup.certificate = { () throws(MediaError) in authorities }
        setup.silenceTimeout = 1_000_000_000
        return setup
    }

    /// Returns the error with which a camera is refused, and checks that it was sent no request.
    private func refusal(_ server: FakeNetworkCamera, trusting authorities: [UInt8]?) throws -> MediaError {
        let error = #expect(throws: MediaError.self) {
            try NetworkCamera.opened(try setup(server, trusting: authorities))
        }
        #expect(server.requests.isEmpty)
        return try #require(error)
    }

    @Test func camera_trustedCertificate_deliversItsFrames() async throws {
        let certificate = try FakeCertificate()
        let script = try script()
        let server = try FakeNetworkCamera(script, certificate: certificate)
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server, trusting: certificate.pem))
        let record = EventRecord()
        try camera.start { record.receive($0) }
        try await waitUntil { record.samples.count + Int(record.lost) >= Self.count || !record.ends.isEmpty }
        camera.stop()
        #expect(record.data == script.frames.map(\.stored))
        #expect(record.lost == 0 && record.ends.isEmpty)
        #expect(camera.summary.hasSuffix("over TLS"))
        try await waitUntil { server.requests.last == "TEARDOWN" }
    }

    @Test func camera_largeFrames_arriveCompletely() async throws {
        let certificate = try FakeCertificate()
        // Packets that need several records of TLS, in quick succession.
        let script = try script {
            $0.mostPayload = 60_000
            $0.distance = 5_000_000
        }
        let server = try FakeNetworkCamera(script, certificate: certificate)
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server, trusting: certificate.pem))
        let record = EventRecord()
        try camera.start { record.receive($0) }
        let sent = script.frames.map(\.stored)
        try await waitUntil { record.data.last == sent.last || !record.ends.isEmpty }
        camera.stop()
        // Before the start, only the frames from the latest keyframe on wait.
        #expect(!record.data.isEmpty && record.data == Array(sent.suffix(record.data.count)) && record.ends.isEmpty)
    }

    @Test func camera_unknownCertificate_isRefusedWithAWayOut() throws {
        let server = try FakeNetworkCamera(try script(), certificate: try FakeCertificate())
        defer { server.end() }
        let error = try refusal(server, trusting: nil)
        #expect(error.code == .notPermitted && error.underlying == .other("X509", 18))
        #expect(error.reason.contains("self") && error.wayOut.contains("camera-certificate"))
    }

    @Test func camera_anotherCertificateTrusted_isRefused() throws {
        let server = try FakeNetworkCamera(try script(), certificate: try FakeCertificate())
        defer { server.end() }
        let error = try refusal(server, trusting: try FakeCertificate().pem)
        #expect(error.code == .notPermitted && error.wayOut.contains("camera-certificate"))
    }

    @Test func camera_certificateWithAnotherName_isRefused() throws {
        let certificate = try FakeCertificate(name: "IP:10.0.0.9")
        let server = try FakeNetworkCamera(try script(), certificate: certificate)
        defer { server.end() }
        let error = try refusal(server, trusting: certificate.pem)
        #expect(error.code == .notPermitted && error.underlying == .other("X509", 64))
        #expect(error.wayOut.contains("127.0.0.1"))
    }

    @Test func camera_expiredCertificate_isRefused() throws {
        let certificate = try FakeCertificate(validFor: -3600)
        let server = try FakeNetworkCamera(try script(), certificate: certificate)
        defer { server.end() }
        let error = try refusal(server, trusting: certificate.pem)
        #expect(error.underlying == .other("X509", 10) && error.wayOut.contains("date"))
    }

    @Test(arguments: ["", "front.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func certificate_withoutAValidOne_isRefused(text: String) throws {
        let server = try FakeNetworkCamera(try script(), certificate: try FakeCertificate())
        defer { server.end() }
        let error = try refusal(server, trusting: Array(text.utf8))
        #expect(error.code == .invalidSettings && error.wayOut.contains("openssl x509"))
    }

    /// The beginning of a record, and nothing: the server closes the connection in the middle of the handshake.
    @Test(arguments: [[], [0x16, 3, 3, 0, 80]] as [[UInt8]])
    func camera_closesDuringTheHandshake_isRefused(answer: [UInt8]) throws {
        let script = try script { $0.fault = .handshake(answer: answer) }
        let server = try FakeNetworkCamera(script, certificate: try FakeCertificate())
        defer { server.end() }
        let error = try refusal(server, trusting: nil)
        #expect(error.code == .ioFailure && error.reason == "it ended the TLS handshake")
    }

    /// A text, random bytes, an unknown message, and the alert “handshake failure”.
    @Test(
        arguments: [
            Array("HTTP/1.0 400 Bad Request\r\n\r\n".utf8), [0xFF, 0xFE, 0xFD, 0xFC, 0xFF, 0xFE, 0xFD, 0xFC],
            [0x16, 3, 3, 0, 4, 9, 9, 9, 9], [0x15, 3, 3, 0, 2, 2, 40],
        ] as [[UInt8]]) func camera_sendsGarbageInTheHandshake_isRefusedWithOpenSSLsText(answer: [UInt8]) throws
    {
        let script = try script { $0.fault = .handshake(answer: answer) }
        let server = try FakeNetworkCamera(script, certificate: try FakeCertificate())
        defer { server.end() }
        let error = try refusal(server, trusting: nil)
        #expect(error.code == .ioFailure && error.reason.hasPrefix("TLS failed: "))
        guard case .other("OpenSSL", let code)? = error.underlying else {
            Issue.record("\(error)")
            return
        }
        #expect(code != 0)
    }

    @Test(arguments: [CameraScript.Fault.reset(frame: 30), .silence(frame: 30)])
    func camera_thatFails_isGoneAfterItsFrames(fault: CameraScript.Fault) async throws {
        let certificate = try FakeCertificate()
        let script = try script { $0.fault = fault }
        let server = try FakeNetworkCamera(script, certificate: certificate)
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server, trusting: certificate.pem))
        let record = EventRecord()
        try camera.start { record.receive($0) }
        try await waitUntil { !record.ends.isEmpty }
        camera.stop()
        #expect(record.samples.count <= 30)
        #expect(record.data == script.frames.prefix(record.samples.count).map(\.stored))
        #expect(record.ends.map(\.code) == [.deviceLost])
    }

    @Test func camera_stoppedInTheHandshake_endsAtOnce() async throws {
        let server = try FakeNetworkCamera(try script { $0.fault = .deaf }, certificate: try FakeCertificate())
        defer { server.end() }
        try await expectInterruption(of: try setup(server, trusting: nil), server, after: ["(handshake)"])
    }
}
