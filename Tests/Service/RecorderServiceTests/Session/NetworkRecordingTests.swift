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

/// Recordings of a network camera, from a server in software to the file: real sockets, clock and files.
@Suite(.timeLimit(.minutes(5))) struct NetworkRecordingTests {
    private static let audio = [(0..<300).map { UInt8(truncatingIfNeeded: $0) }, [UInt8](repeating: 7, count: 200)]

    private func script(_ change: (inout CameraScript) -> Void = { _ in }) throws -> CameraScript {
        var script = try CameraScript(movie: Project.path("Tests/Movies/car-detection.mp4"), frames: 150)
        change(&script)
        return script
    }

    @Test func recording_ofANetworkCamera_hasItsFramesByteForByte() async throws {
        try await withTemporaryDirectory { directory in
            let login = directory + "/login"
            try Data("admin:geheim".utf8).write(to: URL(fileURLWithPath: login))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: login)
            let script = try script { $0.user = ("admin", "geheim") }
            let server = try FakeNetworkCamera(script)
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory) { $0.cameraCredentials = login }
            #expect(outcome.failure == nil)
            #expect(outcome.status.isExact && outcome.status.video?.dropped.inAll == 0)
            let stored = try StoredPackets(directory + "/take.mov")
            #expect((90...110).contains(stored.frames.count), "\(stored.frames.count)")
            #expect(stored.frames == script.frames.prefix(stored.frames.count).map(\.stored))
            #expect(Int(outcome.status.video?.written ?? 0) == stored.frames.count)
            for (earlier, later) in zip(stored.times, stored.times.dropFirst()) { #expect(later > earlier) }
            let network = try #require(outcome.status.network)
            #expect(network.audio == nil && network.video?.lost == 0 && network.video?.late == 0)
            #expect((network.video?.packets ?? 0) >= stored.frames.count)
            let probe = try Probe(directory + "/take.mov", decodes: true)
            #expect(probe.video?.frames == stored.frames.count && probe.audio == nil)
        }
    }

    @Test func recording_ofBFrames_hasEveryFrameByteForByte() async throws {
        try await withTemporaryDirectory { directory in
            let script = try CameraScript(movie: Project.path("Tests/Movies/bottle-detection.mp4"), frames: 150)
            let server = try FakeNetworkCamera(script)
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory)
            #expect(outcome.failure == nil)
            #expect(outcome.status.isExact && outcome.status.video?.dropped.inAll == 0)
            let stored = try StoredPackets(directory + "/take.mov")
            #expect((90...115).contains(stored.frames.count), "\(stored.frames.count)")
            stored.expectOrder(of: script)
            // Frames that are decoded before the end, and shown after it, are stored and not shown.
            let hidden = Int(outcome.status.video?.written ?? 0) - stored.frames.count
            #expect((0...8).contains(hidden), "\(hidden)")
            let probe = try Probe(directory + "/take.mov", decodes: true)
            #expect(probe.complaints.isEmpty, "\(probe.complaints)")
            #expect((90...110).contains(probe.video?.frames ?? 0))
        }
    }

    @Test func recording_ofBFramesInSegments_hasEachFrameOnce() async throws {
        try await withTemporaryDirectory { directory in
            let movie = directory + "/source.mp4"
            let made = try Command.run(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=50", "-frames:v", "250", "-c:v",
                "libx264", "-g", "25", "-bf", "3", "-b_strategy", "0", "-sc_threshold", "0", "-pix_fmt", "yuv420p",
                movie)
            #expect(made.status == 0, "\(made.errors)")
            let script = try CameraScript(movie: movie, frames: 250)
            let server = try FakeNetworkCamera(script)
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory) {
                $0.duration = MediaTime(value: 3, timescale: 1)
                $0.segments.duration = MediaTime(value: 1, timescale: 1)
            }
            #expect(outcome.failure == nil)
            #expect(outcome.status.isExact && outcome.status.video?.dropped.inAll == 0)
            #expect(outcome.status.segments.count >= 2)
            var first = 0
            for segment in outcome.status.segments {
                let stored = try StoredPackets(segment.file)
                stored.expectOrder(of: script, from: first)
                first += stored.frames.count
                let probe = try Probe(segment.file, decodes: true)
                #expect(probe.complaints.isEmpty, "\(probe.complaints)")
            }
            #expect(first > 130)
        }
    }

    @Test func recording_ofACameraWithTLS_hasItsFramesByteForByte() async throws {
        try await withTemporaryDirectory { directory in
            let certificate = try FakeCertificate()
            try Data(certificate.pem).write(to: URL(fileURLWithPath: directory + "/camera.pem"))
            let script = try script()
            let server = try FakeNetworkCamera(script, certificate: certificate)
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory) {
                $0.cameraCertificate = directory + "/camera.pem"
            }
            #expect(outcome.failure == nil && outcome.status.isExact)
            let stored = try StoredPackets(directory + "/take.mov")
            #expect(stored.frames.count > 80)
            #expect(stored.frames == script.frames.prefix(stored.frames.count).map(\.stored))
        }
    }

    @Test func recording_withoutTheCameraCertificate_isRefused() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FakeNetworkCamera(try script(), certificate: try FakeCertificate())
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory)
            #expect(outcome.failure?.error.code == .notPermitted)
            #expect(outcome.failure?.error.wayOut.contains("camera-certificate") == true)
        }
    }

    @Test func recording_ofAACOfTheCamera_hasItsPacketsUntouched() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FakeNetworkCamera(try script { $0.audio = .aac(Self.audio) })
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory) {
                $0.microphone = .ofCamera(isRequired: true)
            }
            #expect(outcome.failure == nil && outcome.status.isExact)
            let stored = try StoredPackets(directory + "/take.mov")
            #expect(stored.audio.count > 60 && stored.audio.allSatisfy { Self.audio.contains($0) })
        }
    }

    @Test func recording_ofG711OfTheCamera_hasAudio() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FakeNetworkCamera(try script { $0.audio = .law })
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory)
            #expect(outcome.failure == nil && outcome.status.isExact)
            let probe = try Probe(directory + "/take.mov", decodes: true)
            #expect(probe.audio?.codecName == "aac" && probe.audio?.sampleRate == "8000")
        }
    }

    @Test func recording_throughAReset_continuesInTheNextFile() async throws {
        try await withTemporaryDirectory { directory in
            let script = try script {
                $0.fault = .reset(frame: 30)
                $0.isFaultOnce = true
            }
            let server = try FakeNetworkCamera(script)
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory) {
                $0.duration = MediaTime(value: 5, timescale: 1)
            }
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(server.connections == 2)
            let sent = Set(script.frames.map(\.stored))
            #expect(outcome.status.segments.map(\.file) == ["", "-002"].map { directory + "/take\($0).mov" })
            let frames = try outcome.status.segments.map { try StoredPackets($0.file).frames }
            // If the encoder is not open yet at the return, the recording continues at the next keyframe.
            #expect(frames.allSatisfy { $0.count > 20 } && frames.joined().allSatisfy { sent.contains($0) })
        }
    }

    @Test func recording_withoutTheRequiredAudio_isRefused() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FakeNetworkCamera(try script())
            defer { server.end() }
            let outcome = try await NetworkRecording.record(server, in: directory) {
                $0.microphone = .ofCamera(isRequired: true)
            }
            #expect(outcome.failure?.error.code == .notFound)
        }
    }
}
