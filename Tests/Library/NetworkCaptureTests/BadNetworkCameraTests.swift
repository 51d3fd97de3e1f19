import Capture
import FakeNetworkDevices
import Foundation
import MediaTypes
import RTSP
import RealTime
import TestSupport
import Testing

@testable import NetworkCapture

/// Cameras that answer wrongly, or change while they send, over real sockets of the loopback interface.
@Suite(.timeLimit(.minutes(5))) struct BadNetworkCameraTests {
    private static let count = 70

    /// A response to DESCRIBE, after which the connection is closed.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let code: MediaError.Code

        init(_ name: String, _ bytes: [UInt8], _ code: MediaError.Code) {
            (testDescription, self.bytes, self.code) = (name, bytes, code)
        }

        init(_ name: String, headers: String, body: String = "", _ code: MediaError.Code) {
            self.init(name, Array("RTSP/1.0 200 OK\r\nCSeq: 2\r\n\(headers)\r\n\r\n\(body)".utf8), code)
        }
    }

    private static let garbage: [UInt8] = {
        var random = SeededRandom(seed: 3)
        return (0..<3000).map { _ in UInt8.random(in: 0...255, using: &random) }
    }()

    private static let longHeaders: String = {
        let text = String(repeating: "x", count: 100)
        return (0..<700).map { "X-\($0): \(text)" }.joined(separator: "\r\n")
    }()

    static let answers = [
        Answer("nothing", [], .deviceLost),
        Answer("garbage", garbage, .deviceLost),
        Answer("HTTP", Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8), .unsupported),
        Answer("a page", headers: "Content-Type: text/html\r\nContent-Length: 6", body: "<html>", .unsupported),
        Answer(
            "a header of 10,000 bytes", headers: "X-Text: \(String(repeating: "x", count: 10_000))", .corruptData),
        Answer("headers of 70,000 bytes", headers: longHeaders, .corruptData),
        Answer("no description", headers: "Content-Type: application/sdp", .unsupported),
        Answer(
            "half of a body", headers: "Content-Type: application/sdp\r\nContent-Length: 500",
            body: "v=0\r\ns=Half\r\nm=video 0 RTP/AVP 96\r\na=rtpm", .deviceLost),
        Answer(
            "a description without the format", headers: "Content-Type: application/sdp\r\nContent-Length: 22",
            body: "m=video 0 RTP/AVP 96\r\n", .unsupported),
    ]

    private func script(
        frames: Int = BadNetworkCameraTests.count, _ change: (inout CameraScript) -> Void = { _ in }
    ) throws -> CameraScript {
        var script = try CameraScript(movie: Project.path("Tests/Movies/car-detection.mp4"), frames: frames)
        change(&script)
        return script
    }

    /// Returns the settings for a camera, with a silence timeout of one second.
    private func setup(
        _ server: FakeNetworkCamera, password: String? = nil, report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> NetworkCameraSetup {
        var setup = NetworkCameraSetup(try RTSPURL.parse(server.url).url) { () throws(MediaError) in
            password.map { Credentials(user: "admin", password: $0) }
        }
        setup.silenceTimeout = 1_000_000_000
        setup.report = report
        return setup
    }

    /// Receives until the last frame of a script is delivered, or the camera is lost.
    private func receive(_ camera: NetworkCamera, _ script: CameraScript) async throws -> EventRecord {
        let record = EventRecord()
        let last = script.frames.last?.stored
        try camera.start { record.receive($0) }
        try await waitUntil { record.data.last == last || !record.ends.isEmpty }
        return record
    }

    @Test(arguments: answers) func camera_wrongAnswer_isRefusedWithItsCause(answer: Answer) throws {
        let server = try FakeNetworkCamera(try script { $0.fault = .describe(answer: answer.bytes) })
        defer { server.end() }
        let error = #expect(throws: MediaError.self) { try NetworkCamera.opened(try setup(server)) }
        #expect(error?.code == answer.code, "\(String(describing: error))")
        #expect(error?.reason.isEmpty == false && (error?.reason.count ?? .max) < 600)
        #expect(server.connections == 1)
    }

    @Test func camera_redirectsToItself_isRefusedAfterFourConnections() throws {
        let server = try FakeNetworkCamera(try script { $0.fault = .redirects })
        defer { server.end() }
        let error = #expect(throws: MediaError.self) { try NetworkCamera.opened(try setup(server)) }
        #expect(error?.code == .deviceLost && error?.reason.contains("redirects without end") == true)
        #expect(server.connections == 4)
    }

    @Test func camera_halfDescription_isReceivedWithTheSetsOfItsKeyframes() async throws {
        let script = try script { script in
            script.fault = .halfDescription
            script.repeatSets()
        }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server))
        let record = try await receive(camera, script)
        camera.stop()
        #expect(record.data == script.frames.map(\.stored) && record.lost == 0)
    }

    @Test(arguments: ["SETUP", "PLAY"]) func camera_asksForThePasswordLate_getsIt(method: String) async throws {
        let script = try script { script in
            script.user = ("admin", "geheim")
            script.loginFrom = method
        }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server, password: "geheim"))
        let record = try await receive(camera, script)
        camera.stop()
        #expect(record.data == script.frames.map(\.stored))
        #expect(server.requests.filter { $0 == method }.count == 2)
        #expect(server.requests.filter { $0 == "DESCRIBE" }.count == 1)
    }

    @Test(arguments: [nil, "falsch"] as [String?])
    func camera_asksForThePasswordLate_refusesAnother(password: String?) throws {
        let script = try script { script in
            script.user = ("admin", "geheim")
            script.loginFrom = "PLAY"
        }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let error = #expect(throws: MediaError.self) { try NetworkCamera.opened(try setup(server, password: password)) }
        #expect(error?.code == .notPermitted && error?.description.contains("falsch") == false)
        #expect(server.requests.filter { $0 == "PLAY" }.count == (password == nil ? 1 : 2))
    }

    @Test func camera_otherSizeInTheMiddle_continuesWithTheOtherFormat() async throws {
        let movie = try MadeFile.of(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=50:d=1", "-c:v", "libx264",
                "-profile:v", "baseline", "-g", "25", "-pix_fmt", "yuv420p",
            ], ending: "mp4")
        let other = try CameraScript(movie: movie.path, frames: 50)
        let script = try script { $0.append(other) }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server))
        let record = try await receive(camera, script)
        camera.stop()
        #expect(record.data == script.frames.map(\.stored) && record.lost == 0 && record.ends.isEmpty)
        let widths = record.samples.map { $0.format.video?.width ?? 0 }
        #expect(widths == [Int](repeating: 768, count: Self.count) + [Int](repeating: 320, count: 50))
    }

    @Test func camera_otherPayloadTypeInTheMiddle_isConnectedAgain() async throws {
        let script = try script(frames: 250) { $0.fault = .otherType(frame: 30) }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server))
        let record = try await receive(camera, script)
        camera.stop()
        #expect(record.data == script.frames.prefix(30).map(\.stored) && record.lost == 0)
        #expect(record.ends.map(\.code) == [.deviceLost])
        #expect(record.ends.first?.reason.contains("no frame could be made of its packets for 2 s") == true)
    }

    @Test(arguments: [1000, -300] as [Int64])
    func camera_timesJump_areThoseOfTheArrival(seconds: Int64) async throws {
        let notices = Locked<[String]>([])
        let script = try script { $0.fault = .jump(frame: 30, seconds: seconds) }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let camera = try NetworkCamera.opened(
            try setup(server) { text in notices.withLock { $0.append(text) } })
        let record = try await receive(camera, script)
        camera.stop()
        #expect(record.data == script.frames.map(\.stored) && record.lost == 0 && record.ends.isEmpty)
        let times = record.samples.map(\.presentationTime.seconds)
        for (earlier, later) in zip(times, times.dropFirst()) { #expect(later > earlier) }
        let length = (times.last ?? 0) - (times.first ?? 0)
        #expect(abs(length - Double(Self.count - 1) * 0.02) < 0.5, "\(length)")
        #expect(notices.withLock { $0 }.contains { $0.contains("jumped by") })
    }

    /// An opening waits two seconds for the first audio.
    @Test func audio_aSecondLate_isASourceOfItsOwn() async throws {
        let script = try script(frames: 120) { script in
            script.audio = .law
            script.audioDelay = 1_000_000_000
        }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        var setup = try setup(server)
        setup.wantsAudio = true
        let camera = try NetworkCamera.opened(setup)
        let audio = try camera.audio()
        let heard = EventRecord()
        try audio.start { heard.receive($0) }
        let record = try await receive(camera, script)
        camera.stop()
        audio.stop()
        #expect(record.data.last == script.frames.last?.stored && record.lost == 0)
        #expect(heard.samples.count > 10 && heard.lost == 0 && heard.ends.isEmpty)
    }

    @Test func audio_fourSecondsLate_doesNotDisturbTheVideo() async throws {
        let script = try script(frames: 250) { script in
            script.audio = .law
            script.audioDelay = 4_000_000_000
        }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        var setup = try setup(server)
        setup.wantsAudio = true
        let camera = try NetworkCamera.opened(setup)
        #expect(throws: MediaError.self) { try camera.audio() }
        #expect(camera.awaitedAudio()?.format == .audio(AudioFormat(pcm: .s16, sampleRate: 8000, channelCount: 1)))
        let record = try await receive(camera, script)
        #expect(camera.awaitedAudio() == nil)
        camera.stop()
        // The video from the last keyframe before the opening on.
        let data = record.data
        #expect(data.count > 60 && data == script.frames.suffix(data.count).map(\.stored) && record.lost == 0)
    }
}
