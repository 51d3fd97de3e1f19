import Foundation
import Glibc
import TestSupport
import Testing

/// HEVC with open GOPs from another program, GStreamer's RTSP server: signed, cut, joined, and repaired after a kill.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HEVCRecordingTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    /// Returns the hashes of the frames that FFmpeg shows, in order. It must not complain.
    private func shown(_ path: String) throws -> [Substring] {
        let result = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-xerror", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f",
            "framemd5", "-")
        try #require(result.status == 0 && result.errors.isEmpty, "\(path): \(result.errors)")
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last
        }
    }

    /// Returns the files of the recording in their order: `yard.mov`, `yard-002.mov`, …
    private func parts(_ command: Command) -> [String] {
        let files = command.files(in: "work").filter { $0.hasPrefix("yard") && $0.hasSuffix(".mov") }
        return files.filter { $0 == "yard.mov" } + files.filter { $0 != "yard.mov" }
    }

    @Test func recording_ofOpenGOPs_isSignedAndShown() async throws {
        let server = try CameraServer(in: place)
        try await Command.inDirectory { command in
            _ = try await command.run("key", "new", "-o", "yard.key")
            let run = try await command.start(
                [
                    "run", "yard", "--camera", server.url("h265-open-gops"), "--microphone", "none", "--segment", "2s",
                    "--duration", "5s", "-o", "yard.mov", "--sign", "yard.key",
                ]
            ).result()
            #expect(run.exitCode == 0, "\(run.errors)")
            let files = parts(command)
            try #require(files.count >= 2)
            let verified = try await command.run(["verify", "--key", "yard.key.pub"] + files)
            #expect(verified.exitCode == 0 && verified.output.contains("signed end"), "\(verified.output)")
            var count = 0
            for file in files {
                #expect(try Probe(command.path("work/" + file)).video?.codecName == "hevc")
                count += try shown(command.path("work/" + file)).count
            }
            #expect(count > 100)
            withExtendedLifetime(server) {}
        }
    }

    /// The frames state a color that the recording's sample description does not. Some of the cuts end among leading
    /// frames.
    @Test(arguments: [("h265-open-gops", "mov"), ("h265-open-gops", "mp4"), ("h264-b-frames", "mov"), ("mjpeg", "mov")])
    func cut_ofASignedRecording_isGenuine(path: String, type: String) async throws {
        let server = try CameraServer(in: place)
        try await Command.inDirectory { command in
            _ = try await command.run("key", "new", "-o", "yard.key")
            let run = try await command.run(
                "run", "yard", "--camera", server.url(path), "--microphone", "none", "--duration", "3s", "-o",
                "yard.\(type)", "--sign", "yard.key")
            #expect(run.exitCode == 0, "\(run.errors)")
            for (number, range) in [("0s", "2s"), ("0.5s", "1.7s"), ("1s", "2.503s")].enumerated() {
                let cut = "cut-\(number).\(type)"
                let made = try await command.run(
                    "reencode", "yard.\(type)", "-o", cut, "--codec", "passthrough", "--from", range.0, "--to", range.1)
                #expect(made.exitCode == 0 && !made.errors.contains("the signature"), "\(made.errors)")
                let verified = try await command.run("verify", "--key", "yard.key.pub", cut)
                #expect(verified.exitCode == 0 && verified.output.contains("genuine"), "\(verified.output)")
                let other = try PythonJudge.run(
                    "signature.py", command.path("work/yard.key.pub"), command.path("work/" + cut))
                #expect(other.text.contains("genuine"), "\(other.text)")
                #expect(try shown(command.path("work/" + cut)).count > 25)
            }
            withExtendedLifetime(server) {}
        }
    }

    @Test func files_splitInOpenGOPs_areJoinedWithoutALoss() async throws {
        let server = try CameraServer(in: place)
        try await Command.inDirectory { command in
            let run = try await command.run(
                "run", "yard", "--camera", server.url("h265-open-gops"), "--microphone", "none", "--segment", "2s",
                "--duration", "7s", "-o", "yard.mov")
            #expect(run.exitCode == 0, "\(run.errors)")
            let files = parts(command)
            try #require(files.count >= 3)
            let options = ["--codec", "passthrough", "-o"]
            let joined = try await command.run(["reencode"] + files + options + ["joined.mov"])
            #expect(joined.exitCode == 0, "\(joined.errors)")
            let frames = try files.flatMap { try shown(command.path("work/" + $0)) }
            #expect(try shown(command.path("work/joined.mov")) == frames && frames.count > 150, "\(frames.count)")
            // The second file ends with the keyframe of the third.
            let other = try await command.run(["reencode", files[1], files[0]] + options + ["other.mov"])
            #expect(other.exitCode != 0 && other.errors.contains("in the order in which they were made"))
            #expect(!FileManager.default.fileExists(atPath: command.path("work/other.mov")))
            withExtendedLifetime(server) {}
        }
    }

    @Test func recording_thatWasKilled_isRepaired() async throws {
        let server = try CameraServer(in: place)
        try await Command.inDirectory { command in
            let path = command.path("work/yard.recording.mov")
            let running = try command.start([
                "start", "yard", "--foreground", "--camera", server.url("h265-open-gops"), "--microphone", "none",
                "--output", "yard.mov",
            ])
            try await waitUntil { running.output.hasPrefix("recording") }
            try await waitUntil { fragmentCount(path) >= 8 }
            running.send(SIGKILL)
            _ = try await running.result()
            let repair = try await command.run("repair", "yard.recording.mov")
            #expect(repair.exitCode == 0, "\(repair.errors)")
            let probe = try Probe(command.path("work/yard.mov"), decodes: true)
            #expect(probe.complaints.isEmpty && probe.video?.codecName == "hevc", "\(probe.complaints)")
            #expect(try shown(command.path("work/yard.mov")).count > 30)
            withExtendedLifetime(server) {}
        }
    }

    /// Returns the number of fragment headers in a recording. Some have a copy.
    private func fragmentCount(_ path: String) -> Int {
        let bytes = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
        var (count, start) = (0, bytes.startIndex)
        while let found = bytes.range(of: Data("moof".utf8), in: start..<bytes.endIndex) {
            count += 1
            start = found.upperBound
        }
        return count
    }
}
