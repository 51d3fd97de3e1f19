import FakeNetworkDevices
import Foundation
import MediaTypes
import MovieCommands
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Recordings of a network camera that delivers HEVC with open GOPs and a pyramid of B-frames, judged by FFmpeg.
@Suite(.timeLimit(.minutes(5))) struct NetworkHEVCTests {
    /// Returns five seconds of an encoder, with a keyframe about each half second. With x265, all keyframes but the first are
    /// CRA pictures, which RASL pictures follow.
    private static func movie(_ encoder: String = "libx265") throws -> URL {
        let options =
            encoder == "libx265"
            ? [
                "-x265-params",
                "log-level=none:open-gop=1:keyint=24:min-keyint=24:scenecut=0:bframes=3:b-adapt=0:b-pyramid=1",
                "-tag:v", "hvc1",
            ] : ["-g", "25", "-bf", "0"]
        return try MadeFile.of(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=50:d=5", "-pix_fmt", "yuv420p",
                "-preset", "ultrafast", "-c:v", encoder,
            ] + options, ending: "mp4")
    }

    private static func script(_ encoder: String = "libx265") throws -> CameraScript {
        try CameraScript(movie: movie(encoder).path, frames: 250)
    }

    /// Returns the hashes of the frames that FFmpeg shows, in order.
    private func shown(_ movie: String) throws -> [String] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", movie, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-")
        try #require(result.status == 0 && result.errors.isEmpty, "\(movie): \(result.errors)")
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test func script_hasLeadingFrames() throws {
        let frames = try Self.script().frames
        let keyframes = frames.indices.filter { frames[$0].isKeyframe }
        #expect(keyframes.count == 11)
        #expect(keyframes.dropFirst().allSatisfy { key in frames[key...].contains { $0.shown < frames[key].shown } })
    }

    @Test func recording_ofOpenGOPs_hasEveryFrameByteForByte() async throws {
        try await withTemporaryDirectory { directory in
            let script = try Self.script()
            let server = try FakeNetworkCamera(script)
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory)
            #expect(outcome.failure == nil)
            #expect(outcome.status.isExact && outcome.status.video?.dropped.inAll == 0)
            let path = directory + "/take.mov"
            let stored = try StoredPackets(path)
            #expect((90...115).contains(stored.frames.count), "\(stored.frames.count)")
            stored.expectOrder(of: script)
            let probe = try Probe(path, decodes: true)
            #expect(probe.complaints.isEmpty, "\(probe.complaints)")
            #expect(probe.video?.codecName == "hevc")
            #expect(try Probe.ask(path, "stream=codec_tag_string", of: "v:0").text.hasPrefix("hvc1"))
            let (frames, source) = (try shown(path), try shown(Self.movie().path))
            #expect(frames == Array(source.prefix(frames.count)) && frames.count > 85, "\(frames.count)")
        }
    }

    /// A file that begins at a CRA picture must not begin with its RASL pictures, which only the file before it can
    /// show.
    @Test func recording_ofOpenGOPsInSegments_showsEachFrameOnce() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FakeNetworkCamera(try Self.script())
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory) {
                $0.duration = MediaTime(value: 3, timescale: 1)
                $0.segments.duration = MediaTime(value: 1, timescale: 1)
            }
            #expect(outcome.failure == nil)
            #expect(outcome.status.isExact && outcome.status.video?.dropped.inAll == 0)
            #expect(outcome.status.segments.count >= 2)
            var frames: [String] = []
            for segment in outcome.status.segments {
                let probe = try Probe(segment.file, decodes: true)
                #expect(probe.complaints.isEmpty, "\(segment.file): \(probe.complaints)")
                frames += try shown(segment.file)
            }
            let source = try shown(Self.movie().path)
            #expect(frames == Array(source.prefix(frames.count)) && frames.count > 130, "\(frames.count)")

            let files = outcome.status.segments.map { URL(fileURLWithPath: $0.file) }
            #expect(try await RangeClip.joinsWithoutLoss(files))
            let clip = RangeClip(
                [
                    .init(file: files[0], range: 0.5...1, isToTheEnd: true),
                    .init(file: files[1], range: 0...0.3, isToTheEnd: false),
                ], begin: Date(timeIntervalSince1970: 1_800_000_000))
            let output = URL(fileURLWithPath: directory + "/clip.mov")
            try await clip.make(at: output)
            try await clip.verify(output)
            let clipped = try shown(output.path)
            let first = try #require(clipped.first.flatMap { source.firstIndex(of: $0) })
            #expect(clipped == Array(source[first...].prefix(clipped.count)) && clipped.count > 25, "\(clipped.count)")
        }
    }

    @Test(arguments: ["libx264", "libx265"])
    func snapshot_ofPacketsThatPassThrough_isAKeyframe(encoder: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try FakeNetworkCamera(try Self.script(encoder))
            defer { server.end() }
            let process = try NetworkRecording.process(server, in: directory) {
                $0.duration = MediaTime(value: 3, timescale: 1)
            }
            let run = Task { await process.run { _ in } }
            try await waitUntil { process.status.state == .recording }
            let image = try await process.snapshot(.png)
            #expect(await run.value.failure == nil)
            let path = directory + "/snapshot.png"
            try Data(image.bytes).write(to: URL(fileURLWithPath: path))
            let pixels = try rgb(path, [])
            try #require(pixels.count == 320 * 192 * 3)
            let keyframes = try rgb(Self.movie(encoder).path, ["-skip_frame", "nokey"])
            let distances = stride(from: 0, to: keyframes.count, by: pixels.count).map { start -> Int in
                let sum: Int = zip(pixels, keyframes[start...]).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                return sum / pixels.count
            }
            // Converters interpolate chroma differently.
            #expect(distances.contains { $0 < 8 }, "\(distances)")
            #expect(process.status.video?.dropped.inAll == 0)
        }
    }

    /// Returns the pixels that FFmpeg decodes, with input options.
    private func rgb(_ path: String, _ options: [String]) throws -> [UInt8] {
        let result = try Command.run(
            ["ffmpeg", "-v", "error"] + options + [
                "-i", path, "-fps_mode", "passthrough", "-pix_fmt", "rgb24", "-f", "rawvideo", "-",
            ])
        try #require(result.status == 0, "\(result.errors)")
        return Array(result.output)
    }
}
