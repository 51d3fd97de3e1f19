import Foundation
import Glibc
import TestSupport
import Testing

/// Network cameras of another program, GStreamer's RTSP server. FFmpeg receives the same packets and is the judge.
@Suite(.serialized, .timeLimit(.minutes(10))) struct NetworkServerTests {
    /// A path of the server.
    struct Mount: Sendable, CustomTestStringConvertible {
        let path: String
        /// The codecs in the movie, as ffprobe names them.
        let video: String
        let audio: String
        /// The NAL unit types that the recorder stores in the description, and FFmpeg in the frames too: parameter sets
        /// and delimiters. nil for a codec whose headers are not transferred; then the decoded frames are compared.
        let described: String?
        var transport = "tcp"

        var testDescription: String { "\(path) over \(transport)" }
    }

    static let mounts = [
        Mount(path: "h264+aac", video: "h264", audio: "aac", described: "7-9"),
        Mount(path: "h264+mulaw", video: "h264", audio: "aac", described: "7-9", transport: "udp"),
        Mount(path: "h265+mulaw", video: "hevc", audio: "aac", described: "32-35"),
        Mount(path: "mjpeg+l16", video: "mjpeg", audio: "aac", described: nil),
        Mount(path: "h264+opus", video: "h264", audio: "opus", described: "7-9"),
    ]

    private static let frame = 1.0 / 25

    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    /// Returns the arguments of a short recording of a camera.
    private func recording(_ url: String, _ more: String..., to output: String) -> [String] {
        ["run", "yard", "--camera", url, "--duration", "4s", "--output", output] + more
    }

    /// Runs the body while FFmpeg receives the video of a camera.
    private func whileFFmpegReceives(_ url: String, to movie: String, _ body: () async throws -> Void) async throws {
        var launch = ChildProgram.Launch(
            "ffmpeg", ["-v", "error", "-rtsp_transport", "tcp", "-i", url, "-map", "0:v:0", "-c", "copy", movie])
        launch.errors = place.path("ffmpeg.log")
        let ffmpeg = try ChildProgram(launch)
        defer {
            ffmpeg.send(SIGKILL)
            _ = ffmpeg.wait()
        }
        try await waitUntil(within: 60) { size(movie) > 0 || ffmpeg.status != nil }
        try await body()
        ffmpeg.send(SIGINT)
        try await waitUntil(within: 60) { ffmpeg.status != nil }
    }

    private func size(_ path: String) -> Int64 {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int64(facts.st_size) : 0
    }

    /// Returns the hash of each packet of the video, or of each decoded frame if its headers are not transferred.
    private func hashes(_ movie: String, _ mount: Mount) throws -> [String] {
        let how =
            mount.described.map { ["-c", "copy", "-bsf:v", "filter_units=remove_types=\($0)"] }
            ?? ["-fps_mode", "passthrough"]
        let result = try TestSupport.Command.run(
            ["ffmpeg", "-v", "error", "-i", movie, "-map", "0:v:0"] + how + ["-f", "framemd5", "-"])
        try #require(result.status == 0, "\(movie): \(result.errors)")
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
        }
    }

    private func expectSamePackets(_ movie: String, as received: String, _ mount: Mount) throws {
        let ours = try hashes(movie, mount)
        let theirs = try hashes(received, mount)
        try #require(ours.count >= 90, "\(ours.count) frames")
        // White keyframes may have the same bytes, so one hash is not enough to find the place.
        let start = try #require(theirs.indices.first { theirs[$0...].starts(with: ours.prefix(10)) })
        let count = min(ours.count, theirs.count - start)
        #expect(count >= 80, "only \(count) frames were received by both")
        #expect(ours.prefix(count) == theirs[start..<(start + count)])
    }

    private func ledger(_ movie: String, _ command: Command) async throws -> RecordingInfo {
        let info = try await command.run("info", "--json", movie)
        #expect(info.exitCode == 0, "\(info.errors)")
        let decoder = JSONDecoder()
        return try decoder.decode(RecordingInfo.self, from: Data(info.output.utf8))
    }

    /// The parts of `info --json` that these tests need.
    private struct RecordingInfo: Decodable {
        struct Track: Decodable {
            let captured: Int64
            let written: Int64
            let dropped: [String: Int64]
        }
        let ledger: [String: Track]
    }

    @Test(arguments: mounts)
    func recording_ofAServer_hasThePacketsThatFFmpegReceives(mount: Mount) async throws {
        let server = try CameraServer(in: place)
        try await Command.inDirectory { command in
            let movie = command.path("work/yard.mov")
            let received = place.path("received.mov")
            try await whileFFmpegReceives(server.url(mount.path), to: received) {
                let result = try await command.start(
                    recording(server.url(mount.path), "--camera-transport", mount.transport, to: "yard.mov")
                ).result()
                #expect(result.exitCode == 0, "\(result.errors)")
                #expect(result.errors.contains("over \(mount.transport.uppercased())"), "\(result.errors)")
            }
            let probe = try Probe(movie, decodes: true)
            #expect(probe.complaints.isEmpty, "\(probe.complaints)")
            #expect(probe.video?.codecName == mount.video && probe.audio?.codecName == mount.audio)
            let tracks = try await ledger(movie, command).ledger
            let video = try #require(tracks["video"])
            #expect(video.captured == video.written && video.written == Int64(probe.video?.frames ?? -1))
            try expectSamePackets(movie, as: received, mount)
            let media = try FlashesAndBeeps(movie, frame: Self.frame)
            #expect(media.flashes.count >= 3 && media.offsets.count >= 3, "\(media)")
            // The camera's AAC encoder delays by 21 ms itself.
            #expect(media.offsets.allSatisfy { abs($0) < Self.frame }, "\(media.offsets)")
        }
    }

    @Test func recording_opusWithAnAudioCodec_isDecodedAndEncoded() async throws {
        let server = try CameraServer(in: place)
        try await Command.inDirectory { command in
            let result = try await command.start(
                recording(server.url("h264+opus"), "--audio-codec", "pcm", to: "yard.mov")
            ).result()
            #expect(result.exitCode == 0 && result.errors.contains("decoded from Opus"), "\(result.errors)")
            let movie = command.path("work/yard.mov")
            let probe = try Probe(movie, decodes: true)
            #expect(probe.complaints.isEmpty && probe.audio?.codecName == "pcm_s16le", "\(probe.complaints)")
            let media = try FlashesAndBeeps(movie, frame: Self.frame)
            #expect(media.offsets.count >= 3 && media.offsets.allSatisfy { abs($0) < Self.frame }, "\(media)")
        }
    }

    @Test func recording_bFrames_areCountedAndLeftOut() async throws {
        let server = try CameraServer(in: place)
        try await Command.inDirectory { command in
            let result = try await command.start(recording(server.url("h264-b-frames"), to: "yard.mov")).result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.errors.contains("the camera sends B-frames"), "\(result.errors)")
            let movie = command.path("work/yard.mov")
            let probe = try Probe(movie, decodes: true)
            #expect(probe.complaints.isEmpty, "\(probe.complaints)")
            let video = try #require(try await ledger(movie, command).ledger["video"])
            #expect(video.captured == video.written + video.dropped.values.reduce(0, +))
            #expect(video.dropped["corrupt"].map { $0 > 20 } == true, "\(video)")
            #expect(video.written == Int64(probe.video?.frames ?? -1))
        }
    }

    @Test(arguments: ["digest", "basic"])
    func camera_withALogin_isRecordedWithTheRightOneOnly(authentication: String) async throws {
        let server = try CameraServer(["--login", "kim:s3cret pw", "--authentication", authentication], in: place)
        try await Command.inDirectory { command in
            for (name, login) in [("right", "kim:s3cret pw"), ("wrong", "kim:wrong pw")] {
                try Data("\(login)\n".utf8).write(to: URL(fileURLWithPath: command.path("work/\(name)")))
                try #require(chmod(command.path("work/\(name)"), 0o600) == 0)
            }
            func result(_ login: [String]) async throws -> Command.Result {
                try await command.start(
                    [
                        "run", "yard", "--camera", server.url("h264"), "--duration", "1s", "--output", "yard.mov",
                        "--overwrite",
                    ] + login
                ).result()
            }
            let right = try await result(["--camera-credentials", "right"])
            #expect(right.exitCode == 0, "\(right.errors)")
            #expect(try Probe(command.path("work/yard.mov"), decodes: true).complaints.isEmpty)
            let wrong = try await result(["--camera-credentials", "wrong"])
            #expect(wrong.exitCode == 77 && wrong.errors.contains("refuses the user or the password"))
            let none = try await result([])
            #expect(none.exitCode == 77 && none.errors.contains("requires a user and a password"))
            for text in [right.errors, wrong.errors, none.errors] {
                #expect(!text.contains("s3cret") && !text.contains("wrong pw"))
            }
        }
    }

    @Test func camera_withoutDatagrams_isReceivedOverTCP() async throws {
        let server = try CameraServer(["--transport", "tcp"], in: place)
        try await Command.inDirectory { command in
            let automatic = try await command.start(
                recording(server.url("h264"), "--camera-transport", "auto", to: "yard.mov")
            ).result()
            #expect(automatic.exitCode == 0 && automatic.errors.contains("over TCP"), "\(automatic.errors)")
            let datagrams = try await command.start(
                recording(server.url("h264"), "--camera-transport", "udp", to: "other.mov")
            ).result()
            #expect(datagrams.exitCode == 69 && datagrams.errors.contains("RTSP 461"), "\(datagrams.errors)")
        }
    }
}
