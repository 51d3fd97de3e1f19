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
        /// True if frames are shown in another order than they are decoded.
        var isReordered = false

        /// True if the audio of the camera is stored as it is sent.
        var hasStoredAudio: Bool { path.hasSuffix("+aac") }
        /// True if leading frames of a keyframe depend on frames before it.
        var hasOpenGOPs: Bool { path.contains("open-gops") }
        var testDescription: String { "\(path) over \(transport)" }
    }

    static let mounts = [
        Mount(path: "h264+aac", video: "h264", audio: "aac", described: "7-9"),
        Mount(path: "h264+mulaw", video: "h264", audio: "aac", described: "7-9", transport: "udp"),
        Mount(path: "h264-b-frames+aac", video: "h264", audio: "aac", described: "7-9", isReordered: true),
        Mount(path: "h265+aac", video: "hevc", audio: "aac", described: "32-35"),
        Mount(path: "h265+mulaw", video: "hevc", audio: "aac", described: "32-35"),
        Mount(path: "h265-open-gops+aac", video: "hevc", audio: "aac", described: "32-35", isReordered: true),
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

    /// Runs the body while FFmpeg receives the video of a camera, and its audio if that is stored as it is sent.
    private func whileFFmpegReceives(
        _ url: String, _ mount: Mount, to movie: String, _ body: () async throws -> Void
    ) async throws {
        // FFmpeg 7.1 marks no packet of AAC as a keyframe, and would copy none without `-copyinkf`.
        let streams = ["-map", "0:v:0"] + (mount.hasStoredAudio ? ["-map", "0:a:0", "-copyinkf:a"] : [])
        var launch = ChildProgram.Launch(
            "ffmpeg", ["-v", "error", "-rtsp_transport", "tcp", "-i", url] + streams + ["-c", "copy", movie])
        launch.errors = place.path("ffmpeg.log")
        let ffmpeg = try ChildProgram(launch)
        defer {
            ffmpeg.send(SIGKILL)
            _ = ffmpeg.wait()
        }
        try await waitUntil { size(movie) > 0 || ffmpeg.status != nil }
        try await body()
        ffmpeg.send(SIGINT)
        try await waitUntil { ffmpeg.status != nil }
    }

    private func size(_ path: String) -> Int64 {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int64(facts.st_size) : 0
    }

    /// Returns the hash of each packet of the video, or of each decoded frame if its headers are not transferred.
    private func videoHashes(_ movie: String, _ mount: Mount) throws -> [String] {
        let how =
            mount.described.map { ["-c", "copy", "-bsf:v", "filter_units=remove_types=\($0)"] }
            ?? ["-fps_mode", "passthrough"]
        return try hashes(movie, ["-map", "0:v:0"] + how)
    }

    /// Returns the last column of FFmpeg's framemd5, also of packets that are stored and not shown.
    private func hashes(_ movie: String, _ options: [String]) throws -> [String] {
        let result = try TestSupport.Command.run(
            ["ffmpeg", "-v", "error", "-ignore_editlist", "1", "-i", movie] + options + ["-f", "framemd5", "-"])
        try #require(result.status == 0, "\(movie): \(result.errors)")
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
        }
    }

    /// Expects that a recording has each packet that FFmpeg received at the same time, and no other.
    ///
    /// - Parameter count: the least number of packets that both received.
    private func expectSame(_ ours: [String], as theirs: [String], atLeast count: Int) throws {
        try #require(ours.count >= count && theirs.count >= count, "\(ours.count) and \(theirs.count) packets")
        // White keyframes and silence may have the same bytes, so the place is where all packets of both are the same.
        let isFound = theirs.indices.contains { start in
            let common = min(ours.count, theirs.count - start)
            return common >= count && ours.prefix(common) == theirs[start..<(start + common)]
        }
        let received = Set(theirs)
        let others = ours.count { !received.contains($0) }
        #expect(isFound, "\(others) of our \(ours.count) packets are not among FFmpeg's \(theirs.count)")
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
            try await whileFFmpegReceives(server.url(mount.path), mount, to: received) {
                let result = try await command.start(
                    recording(server.url(mount.path), "--camera-transport", mount.transport, to: "yard.mov")
                ).result()
                #expect(result.exitCode == 0, "\(result.errors)")
                #expect(result.errors.contains("over \(mount.transport.uppercased())"), "\(result.errors)")
            }
            let probe = try Probe(movie, decodes: true)
            // FFmpeg 5.1 says this of GStreamer's white frame, which has its EOI, if a movie begins with it.
            let complaints = probe.complaints.split(separator: "\n").filter { !$0.hasSuffix("EOI missing, emulating") }
            #expect(complaints.isEmpty, "\(complaints)")
            #expect(probe.video?.codecName == mount.video && probe.audio?.codecName == mount.audio)
            let tracks = try await ledger(movie, command).ledger
            let video = try #require(tracks["video"])
            // Frames that are decoded before the end, and shown after it, are stored and not shown. FFmpeg shows no frame
            // that begins a fraction of a millisecond before the end.
            let hidden = video.written - Int64(probe.video?.frames ?? -1)
            #expect(video.captured == video.written && (0...(mount.isReordered ? 4 : 1)).contains(hidden), "\(hidden)")
            // The leading frames of the first keyframe cannot be decoded without those before it, and are not recorded.
            let ours = try videoHashes(movie, mount).dropFirst(mount.hasOpenGOPs ? 1 : 0)
            try expectSame(Array(ours), as: try videoHashes(received, mount), atLeast: 80)
            if mount.hasStoredAudio {
                let options = ["-map", "0:a:0", "-c", "copy"]
                // Each has 1024 frames at 48 kHz.
                try expectSame(try hashes(movie, options), as: try hashes(received, options), atLeast: 150)
            }
            // The encoder of B-frames is late by its look-ahead, which takes several sender reports to know.
            guard !mount.isReordered else { return }
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
