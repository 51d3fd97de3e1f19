import Foundation
import Glibc
import RecorderStorage
import TestSupport
import Testing

/// Watching a recorder while it records: other programs play the stream, and the recording loses nothing.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LiveTests {
    private let testSources = ["--camera", "test", "--microphone", "test", "--size", "320x240"]

    /// Watches for `seconds`, as the documentation shows.
    private func watch(_ command: Command, _ name: String, seconds: Int, query: String = "") throws -> String {
        let movie = command.path("work/\(UUID().uuidString).mp4")
        let asked = try TestSupport.Command.run(
            "curl", "--silent", "--show-error", "--fail-with-body", "--max-time", "\(seconds)", "--unix-socket",
            command.path("run/recorder/\(name).live"), "http://recorder/v1/live\(query)", "--output", movie)
        // curl exits with 28 when its time is up. A recorder that ended before is valid too.
        #expect([0, 28].contains(asked.status), "\(asked.errors)")
        return movie
    }

    /// Returns the frames of each track, counted by ffprobe without errors.
    private func frames(_ movie: String) throws -> [String: Int] {
        let shown = try TestSupport.Command.run(
            "ffprobe", "-v", "warning", "-count_frames", "-show_entries", "stream=codec_name,nb_read_frames", "-of",
            "csv=p=0", movie)
        // The last fragment is truncated where the viewer disconnected.
        let complaints = shown.errors.split(separator: "\n").filter {
            !$0.contains("truncated") && !$0.contains("partial")
        }
        #expect(complaints.isEmpty, "\(complaints)")
        return Dictionary(
            uniqueKeysWithValues: shown.text.split(separator: "\n").map { line in
                let parts = line.split(separator: ",")
                return (String(parts[0]), Int(parts[1]) ?? 0)
            })
    }

    @Test func liveStream_otherPrograms_playItAndNothingIsDropped() async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(["start", "front", "--output", "front.mov"] + testSources)
            #expect(start.exitCode == 0, "\(start.errors)")
            let movie = try watch(command, "front", seconds: 4)
            let found = try frames(movie)
            #expect(found["h264"].map { $0 >= 75 } == true, "\(found)")
            #expect(found["aac"].map { $0 >= 120 } == true, "\(found)")
            let played = try TestSupport.Command.run(
                "gst-launch-1.0", "-q", "filesrc", "location=\(movie)", "!", "qtdemux", "name=d", "d.video_0", "!",
                "queue",
                "!", "h264parse", "!", "avdec_h264", "!", "fakesink", "d.audio_0", "!", "queue", "!", "aacparse", "!",
                "avdec_aac", "!", "fakesink")
            #expect(played.status == 0, "\(played.errors)")
            #expect(try frames(watch(command, "front", seconds: 2, query: "?sound=no")).keys.sorted() == ["h264"])
            let stop = try await command.run("stop", "--json")
            let status = try JSONDecoder().decode(RecordingStatus.self, from: Data(stop.output.utf8))
            #expect(status.video?.dropped.encoder == 0 && status.video?.dropped.disk == 0)
            #expect(command.files(in: "run/recorder") == ["front.lock"])
        }
    }

    /// The sandbox of the services forbids chown(2), even if it would change nothing.
    @Test func liveGroup_ownGroupWithoutChown_isShared() async throws {
        try await Command.inDirectory { command in
            let group = String(cString: try #require(getgrgid(getegid())).pointee.gr_name)
            let calls = "?chown,?lchown,fchown,fchownat"
            let sandbox = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e", "inject=\(calls):error=EPERM"]
            let words = [
                Command.executable.path, "run", "front", "--camera", "test", "--microphone", "none", "--duration",
                "500ms", "--live-group", group,
            ]
            let result = try await command.start(program: "/usr/bin/strace", sandbox + words).result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
    }

    @Test func substream_otherPrograms_playItAndNothingIsDropped() async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(
                ["start", "front", "--output", "front.mov", "--substream", "160x120@5"] + testSources)
            #expect(start.exitCode == 0, "\(start.errors)")
            let found = try frames(watch(command, "front", seconds: 4, query: "?stream=sub"))
            #expect(found.keys.sorted() == ["h264"], "\(found)")
            #expect(found["h264"].map { (8...25).contains($0) } == true, "\(found)")
            let stop = try await command.run("stop", "--json")
            let status = try JSONDecoder().decode(RecordingStatus.self, from: Data(stop.output.utf8))
            #expect(status.video?.dropped.inAll == 0)
            #expect(status.substream?.width == 160 && status.substream?.frameRate == 5)
        }
    }

    @Test func liveStream_armedThenPaused_showsFramesThenPauses() async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(
                ["start", "front", "--armed", "--low-latency", "--output", "front.mov"] + testSources)
            #expect(start.exitCode == 0, "\(start.errors)")
            #expect(try frames(watch(command, "front", seconds: 2))["h264"].map { $0 >= 15 } == true)
            #expect(try await command.run("start", "front").exitCode == 0)
            #expect(try await command.run("pause", "front").exitCode == 0)
            // Packets on their way arrive, and then none.
            let paused = try frames(watch(command, "front", seconds: 3))["h264"] ?? 0
            #expect(paused <= 75, "\(paused)")
            #expect(try await command.run("resume", "front").exitCode == 0)
            #expect(try frames(watch(command, "front", seconds: 3))["h264"].map { $0 >= 30 } == true)
            #expect(try await command.run("stop", "front", "--disarm").exitCode == 0)
        }
    }

    @Test func liveStream_unsupportedCodec_isReported() async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(
                ["start", "tone", "--camera", "none", "--microphone", "test", "--audio-codec", "pcm"])
            #expect(start.exitCode == 0, "\(start.errors)")
            let asked = try TestSupport.Command.run(
                "curl", "--silent", "--max-time", "10", "--unix-socket", command.path("run/recorder/tone.live"),
                "http://recorder/v1/live")
            #expect(asked.text.contains("cannot show live video: cannot put pcm into .mp4"), "\(asked.text)")
            #expect(try await command.run("stop").exitCode == 0)
        }
    }
}
