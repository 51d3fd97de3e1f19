import Capture
import FakeNetworkDevices
import Glibc
import MediaTypes
import RTSP
import RealTime
import TestSupport
import Testing

@testable import NetworkCapture

/// A network camera against a server in software, over real sockets of the loopback interface.
@Suite(.timeLimit(.minutes(5))) struct NetworkCameraTests {
    private static let count = 70

    private func script(_ change: (inout CameraScript) -> Void = { _ in }) throws -> CameraScript {
        var script = try CameraScript(movie: Project.path("Tests/Movies/car-detection.mp4"), frames: Self.count)
        change(&script)
        return script
    }

    /// Returns the settings for a camera, with a silence timeout of one second.
    private func setup(
        _ camera: FakeNetworkCamera, user: String = "", password: String = "",
        _ change: (inout NetworkCameraSetup) -> Void = { _ in }
    ) throws -> NetworkCameraSetup {
        var setup = NetworkCameraSetup(try RTSPURL.parse(camera.url).url) { () throws(MediaError) in
            user.isEmpty ? nil : Credentials(user: user, password: password)
        }
        setup.silenceTimeout = 1_000_000_000
        change(&setup)
        return setup
    }

    /// Receives until all frames of a script are delivered or counted, or the camera is lost.
    private func receive(_ camera: NetworkCamera, _ count: Int = NetworkCameraTests.count) async throws -> EventRecord {
        let record = EventRecord()
        try camera.start { record.receive($0) }
        try await waitUntil { record.samples.count + Int(record.lost) >= count || !record.ends.isEmpty }
        return record
    }

    @Test(arguments: [SessionOptions.Transport.tcp, .datagrams])
    func camera_frames_arriveByteForByteWithTheirTimes(transport: SessionOptions.Transport) async throws {
        let script = try script { $0.user = ("admin", "geheim") }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let before = MonotonicClock().nanoseconds
        let camera = try NetworkCamera.opened(
            try setup(server, user: "admin", password: "geheim") { $0.transport = transport })
        #expect(camera.format.video?.codec == .h264)
        #expect(camera.format.video?.width == 768 && camera.format.video?.height == 432)
        let record = try await receive(camera)
        camera.stop()
        #expect(record.data == script.frames.map(\.stored))
        #expect(record.samples.map(\.isKeyframe) == script.frames.map(\.isKeyframe))
        #expect(record.lost == 0 && record.ends.isEmpty)
        let times = record.samples.map(\.presentationTime.nanoseconds)
        #expect(times.allSatisfy { $0 > before && $0 <= MonotonicClock().nanoseconds })
        for (earlier, later) in zip(times, times.dropFirst()) { #expect(later > earlier) }
        // The clock starts, so single distances are corrected; their sum is that of the camera.
        let length = Double(times[times.count - 1] - times[0]) / 1e9
        #expect(abs(length - Double(Self.count - 1) * 0.02) < 0.5, "\(length)")
        #expect(server.requests.filter { $0 == "DESCRIBE" }.count == 1)
        try await waitUntil { server.requests.last == "TEARDOWN" }
        #expect(camera.summary.hasSuffix(transport == .tcp ? "over TCP" : "over UDP"))
    }

    @Test func camera_framesOutOfTheirOrder_haveDecodeTimes() async throws {
        let script = try CameraScript(movie: Project.path("Tests/Movies/bottle-detection.mp4"), frames: Self.count)
        #expect(script.frames.prefix(5).map(\.shown) == [0, 4, 2, 1, 3])
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server))
        let record = try await receive(camera)
        camera.stop()
        #expect(record.data == script.frames.map(\.stored) && record.lost == 0)
        let decoded = record.samples.compactMap(\.decodeTime)
        #expect(decoded.count == Self.count && zip(decoded, decoded.dropFirst()).allSatisfy { $0 < $1 })
        #expect(zip(record.samples, decoded).allSatisfy { $0.presentationTime >= $1 })
        let times = record.samples.map(\.presentationTime)
        let order = times.indices.sorted { times[$0] < times[$1] }
        #expect(order.map { script.frames[$0].shown } == Array(0..<Self.count))
    }

    @Test func camera_wrongPassword_isRefusedWithoutPrintingIt() throws {
        let server = try FakeNetworkCamera(try script { $0.user = ("admin", "geheim") })
        defer { server.end() }
        let error = #expect(throws: MediaError.self) {
            try NetworkCamera.opened(try setup(server, user: "admin", password: "falsch"))
        }
        #expect(error?.code == .notPermitted)
        #expect(error?.description.contains("127.0.0.1") == true)
        #expect(error.map { !"\($0)".contains("falsch") && !"\($0)".contains("admin") } == true)
        // Several wrong attempts lock an account.
        #expect(server.requests.count <= 2)
    }

    @Test func camera_wrongPassword_isNotSentAgainAtOnce() throws {
        let server = try FakeNetworkCamera(try script { $0.user = ("admin", "geheim") })
        defer { server.end() }
        let camera = ReconnectingNetworkCamera(try setup(server, user: "admin", password: "falsch"))
        for _ in 0..<5 {
            let error = #expect(throws: MediaError.self) { try camera.open() }
            #expect(error?.code == .notPermitted)
        }
        #expect(server.connections == 1)
    }

    @Test func camera_closedPort_isRefusedWithTheCause() throws {
        let server = try FakeNetworkCamera(try script())
        defer { server.end() }
        var setup = try setup(server)
        setup.url = try RTSPURL.parse("rtsp://127.0.0.1:1/live").url
        let error = #expect(throws: MediaError.self) { try NetworkCamera.opened(setup) }
        #expect(error?.underlying == .errno(ECONNREFUSED))
        #expect(error?.description.contains("rtsp://127.0.0.1:1/live") == true)
    }

    @Test func camera_halfHeader_isRefused() throws {
        let server = try FakeNetworkCamera(try script { $0.fault = .halfHeader })
        defer { server.end() }
        let error = #expect(throws: MediaError.self) { try NetworkCamera.opened(try setup(server)) }
        #expect(error?.code == .deviceLost)
    }

    @Test(arguments: [CameraScript.Fault.reset(frame: 30), .silence(frame: 30)])
    func camera_thatFails_isGoneAfterItsFrames(fault: CameraScript.Fault) async throws {
        let script = try script { $0.fault = fault }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server))
        let record = try await receive(camera)
        camera.stop()
        // With a reset, the kernel may discard bytes that were not read yet.
        #expect(record.samples.count <= 30)
        #expect(record.data == script.frames.prefix(record.samples.count).map(\.stored))
        #expect(record.ends.map(\.code) == [.deviceLost])
    }

    @Test func camera_redirectWhileItPlays_isGoneAfterItsFrames() async throws {
        let target = try FakeNetworkCamera(try script())
        defer { target.end() }
        let script = try script { $0.fault = .redirect(frame: 30, url: target.url) }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server))
        let record = try await receive(camera)
        camera.stop()
        #expect(record.ends.map(\.code) == [.deviceLost] && record.data == script.frames.prefix(31).map(\.stored))
        #expect(target.connections == 0)
    }

    @Test func camera_lostPackets_areCountedAsFrames() async throws {
        // Two packets of frame 40, and one of frame 45.
        let script = try script { $0.fault = .loss(packets: [300, 301, 340]) }
        let notices = Locked<[String]>([])
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let setup = try setup(server) { setup in
            setup.report = { text in notices.withLock { $0.append(text) } }
        }
        let camera = try NetworkCamera.opened(setup)
        let record = try await receive(camera)
        camera.stop()
        #expect(record.lost == 2 && record.samples.count == Self.count - 2)
        let sent = Set(script.frames.map(\.stored))
        #expect(record.data.allSatisfy { sent.contains($0) })
        #expect(notices.withLock { $0 }.contains { $0.contains("3 of") })
        let figures = setup.totals.figures
        #expect(figures?.video?.lost == 3 && figures?.audio == nil)
    }

    @Test func camera_wrongDate_isOnlyANotice() async throws {
        let notices = Locked<[String]>([])
        let script = try script { $0.fault = .date }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let setup = try setup(server) { setup in
            setup.report = { text in notices.withLock { $0.append(text) } }
        }
        let camera = try NetworkCamera.opened(setup)
        let record = try await receive(camera)
        camera.stop()
        #expect(record.samples.count == Self.count && record.ends.isEmpty)
        #expect(notices.withLock { $0 }.contains { $0.contains("date is wrong") })
        #expect((setup.totals.figures?.clockNotices ?? 0) >= 1)
    }

    @Test func audio_ofTheCamera_isASourceOfItsOwn() async throws {
        let unit = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        let server = try FakeNetworkCamera(try script { $0.audio = .aac([unit, Array(unit.reversed())]) })
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server) { $0.wantsAudio = true })
        let audio = try camera.audio()
        #expect(audio.format.audio?.codec == .aac && audio.format.audio?.sampleRate == 48_000)
        #expect(throws: MediaError.self) { try camera.audio() }
        let audioRecord = EventRecord()
        try audio.start { audioRecord.receive($0) }
        let record = try await receive(camera)
        // The audio continues without the video.
        camera.stop()
        let heard = audioRecord.samples.count
        #expect(!server.requests.contains("TEARDOWN"))
        audio.stop()
        #expect(record.ends.isEmpty && audioRecord.ends.isEmpty && heard > 10)
        #expect(audioRecord.data.allSatisfy { $0 == unit || $0 == unit.reversed() })
        #expect(audioRecord.samples.allSatisfy { $0.sampleCount == 1024 })
        try await waitUntil { server.requests.last == "TEARDOWN" }
    }

    @Test func audio_ofG711_isDecoded() async throws {
        let server = try FakeNetworkCamera(try script { $0.audio = .law })
        defer { server.end() }
        let camera = try NetworkCamera.opened(try setup(server) { $0.wantsAudio = true })
        let audio = try camera.audio()
        #expect(audio.format.audio?.pcm == .s16 && audio.format.audio?.sampleRate == 8000)
        let audioRecord = EventRecord()
        try audio.start { audioRecord.receive($0) }
        _ = try await receive(camera)
        camera.stop()
        audio.stop()
        #expect(
            audioRecord.samples.count > 10
                && audioRecord.samples.allSatisfy { $0.sampleCount == 160 && $0.byteCount == 320 })
    }

    @Test func camera_stoppedWhileItOpens_endsAtOnce() async throws {
        let server = try FakeNetworkCamera(try script { $0.fault = .deaf })
        defer { server.end() }
        try await expectInterruption(of: try setup(server), server, after: ["OPTIONS"])
    }

    @Test func keeper_reset_connectsAgain() async throws {
        let script = try script {
            $0.fault = .reset(frame: 30)
            $0.isFaultOnce = true
        }
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        let setup = try setup(server)
        let camera = ReconnectingNetworkCamera(setup)
        let keeper = try DeviceKeeper(name: "camera") { () throws(MediaError) in try camera.open() }
        keeper.whenStopping { camera.interrupt() }
        let record = EventRecord()
        try keeper.start { record.receive($0) }
        try await waitUntil { record.returns == 1 && record.samples.count >= Self.count }
        keeper.stop()
        #expect(record.ends.map(\.code) == [.deviceLost] && server.connections == 2)
        // The packets of both connections.
        #expect((setup.totals.figures?.video?.packets ?? 0) > script.frames.count)
    }
}
