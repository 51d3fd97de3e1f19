import Capture
import Demuxing
import FakeNetworkDevices
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Recordings of a network camera that changes or fails while it records: real sockets, clock and files.
@Suite(.timeLimit(.minutes(5))) struct ChangingCameraRecordingTests {
    private func script(_ change: (inout CameraScript) -> Void = { _ in }) throws -> CameraScript {
        var script = try CameraScript(movie: Project.path("Tests/Movies/car-detection.mp4"), frames: 150)
        change(&script)
        return script
    }

    private func record(
        _ server: FakeNetworkCamera, in directory: String, seconds: Int64 = 2
    ) async throws -> SessionOutcome {
        var configuration = RecordingConfiguration()
        configuration.camera = .network(try NetworkCameraAddress(parsing: server.url))
        configuration.microphone = .ofCamera(isRequired: false)
        configuration.video = .passthrough
        configuration.output = directory + "/take.mov"
        configuration.duration = MediaTime(value: seconds, timescale: 1)
        configuration.diskReserve = 0
        var foundations = SessionFoundations()
        foundations.memory = .none
        let process = CaptureProcess(
            configuration: configuration, opener: DeviceOpener(), log: LogLines().logger, foundations: foundations)
        return await process.run { _ in }
    }

    private struct StoredFrame {
        var bytes: [UInt8]
        var time: MediaTime
    }

    private func frames(of path: String) throws -> [StoredFrame] {
        var frames: [StoredFrame] = []
        let demuxer = try MovieDemuxer(path: path)
        while let packet = try demuxer.next() {
            guard packet.sample.format.mediaType == .video, case .data(let data) = packet.sample.content else {
                continue
            }
            frames.append(StoredFrame(bytes: Array(data.bytes), time: packet.sample.presentationTime))
        }
        return frames
    }

    @Test func recording_ofACameraThatFailsAgainAndAgain_isExact() async throws {
        try await withTemporaryDirectory { directory in
            let script = try script { $0.fault = .reset(frame: 90) }
            let server = try FakeNetworkCamera(script)
            defer { server.end() }
            let outcome = try await record(server, in: directory, seconds: 8)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(server.connections >= 3 && outcome.status.segments.count >= 2)
            let sent = Set(script.frames.map(\.stored))
            for segment in outcome.status.segments {
                #expect(try frames(of: segment.file).allSatisfy { sent.contains($0.bytes) })
                #expect(try Probe(segment.file, decodes: true).complaints.isEmpty)
            }
        }
    }

    @Test func recording_otherSizeInTheMiddle_hasItsFramesByteForByte() async throws {
        try await withTemporaryDirectory { directory in
            let movie = directory + "/other.mp4"
            let made = try Command.run(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=50:d=1", "-c:v", "libx264",
                "-profile:v", "baseline", "-g", "25", "-pix_fmt", "yuv420p", movie)
            #expect(made.status == 0, "\(made.errors)")
            let other = try CameraScript(movie: movie, frames: 50)
            var script = try CameraScript(movie: Project.path("Tests/Movies/car-detection.mp4"), frames: 60)
            script.append(other)
            let server = try FakeNetworkCamera(script)
            defer { server.end() }
            let outcome = try await record(server, in: directory)
            #expect(outcome.failure == nil)
            #expect(outcome.status.isExact && outcome.status.video?.dropped.inAll == 0)
            // Frames of another size are in a file of their own.
            let files = outcome.status.segments.map(\.file)
            let stored = try files.flatMap { try frames(of: $0) }
            #expect(files.count == 2 && stored.count > 80)
            #expect(stored.map(\.bytes) == script.frames.prefix(stored.count).map(\.stored))
            let probes = try files.map { try Probe($0, decodes: true) }
            #expect(probes.allSatisfy { $0.complaints.isEmpty })
            #expect(probes.compactMap(\.video?.frames).reduce(0, +) == stored.count)
        }
    }

    @Test(arguments: [1000, -300] as [Int64]) func recording_timesJump_hasNoGap(seconds: Int64) async throws {
        try await withTemporaryDirectory { directory in
            let script = try script { $0.fault = .jump(frame: 50, seconds: seconds) }
            let server = try FakeNetworkCamera(script)
            defer { server.end() }
            let outcome = try await record(server, in: directory)
            #expect(outcome.failure == nil)
            #expect(outcome.status.isExact && outcome.status.video?.dropped.inAll == 0)
            let stored = try frames(of: directory + "/take.mov")
            #expect(stored.count > 80)
            #expect(stored.map(\.bytes) == script.frames.prefix(stored.count).map(\.stored))
            let distances = zip(stored, stored.dropFirst()).map { $1.time.seconds - $0.time.seconds }
            #expect(distances.allSatisfy { $0 > 0 && $0 < 0.3 }, "\(distances)")
        }
    }
}
