import Foundation
import Glibc
import TestSupport
import Testing

/// HEVC with open GOPs from another program, GStreamer's RTSP server: signed, and repaired after a kill.
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
            let files = command.files(in: "work").filter { $0.hasPrefix("yard") && $0.hasSuffix(".mov") }
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

    @Test func recording_thatWasKilled_isRepaired() async throws {
        let server = try CameraServer(in: place)
        try await Command.inDirectory { command in
            let path = command.path("work/yard.recording.mov")
            let running = try command.start([
                "start", "yard", "--foreground", "--camera", server.url("h265-open-gops"), "--microphone", "none",
                "--output", "yard.mov",
            ])
            try await waitUntil { running.output.hasPrefix("recording") }
            try await waitUntil(within: 60) { fragmentCount(path) >= 8 }
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
