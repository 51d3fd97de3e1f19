import FakeNetworkDevices
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Recordings of network cameras whose audio begins after an opening has ceased to wait for it: real sockets, clock and
/// files.
@Suite(.timeLimit(.minutes(5))) struct LateAudioRecordingTests {
    private static let packet = (0..<300).map { UInt8(truncatingIfNeeded: $0) }

    private func script(_ audio: CameraScript.Audio, delay seconds: Int64) throws -> CameraScript {
        var script = try CameraScript(movie: Project.path("Tests/Movies/car-detection.mp4"), frames: 300)
        script.audio = audio
        script.audioDelay = seconds * 1_000_000_000
        return script
    }

    /// Records three seconds. The camera is opened after two, and its video then begins with an earlier keyframe.
    private func record(_ script: CameraScript, in directory: String) async throws -> SessionOutcome {
        let server = try FakeNetworkCamera(script)
        defer { server.end() }
        return try await NetworkRecording.record(server, in: directory) {
            $0.duration = MediaTime(value: 3, timescale: 1)
        }
    }

    /// Checks that audio is in the file where it belongs beside the video. All times are those of arrival.
    ///
    /// - Parameter start: The time in the file at which it begins, in seconds.
    private func expectSync(_ start: Double, of script: CameraScript, _ stored: StoredPackets) throws {
        let first = try #require(script.frames.firstIndex { $0.stored == stored.frames.first })
        let expected = Double(script.audioDelay - Int64(first) * script.distance) / 1e9
        #expect(abs(start - expected) < 0.1, "\(start) instead of \(expected)")
    }

    @Test func recording_ofAACThatBeginsLate_hasItsPacketsFromThenOn() async throws {
        try await withTemporaryDirectory { directory in
            let script = try script(.aac([Self.packet]), delay: 3)
            let outcome = try await record(script, in: directory)
            #expect(outcome.failure == nil && outcome.status.isExact)
            let stored = try StoredPackets(directory + "/take.mov")
            #expect((100...160).contains(stored.frames.count), "\(stored.frames.count)")
            // Of at least half a second.
            #expect(stored.audio.count > 24 && stored.audio.allSatisfy { $0 == Self.packet }, "\(stored.audio.count)")
            try expectSync(try #require(stored.audioTimes.first).seconds, of: script, stored)
        }
    }

    @Test func recording_ofG711ThatBeginsLate_hasItFromThenOn() async throws {
        try await withTemporaryDirectory { directory in
            let script = try script(.law, delay: 3)
            let outcome = try await record(script, in: directory)
            #expect(outcome.failure == nil && outcome.status.isExact)
            let probe = try Probe(directory + "/take.mov", decodes: true)
            #expect(probe.audio?.codecName == "aac" && probe.audio?.sampleRate == "8000" && probe.complaints.isEmpty)
            let written = try #require(outcome.status.audio).written
            #expect(written > 4000, "\(written)")
            let samples = try Probe.decodedAudio(directory + "/take.mov", as: "f32le").withUnsafeBytes { bytes in
                Array(bytes.bindMemory(to: Float.self))
            }
            // The decoded audio does not contain the time before the track begins.
            let silence = Double(try #require(samples.firstIndex { abs($0) > 0.1 })) / 8000
            let start = try #require(probe.audio).start + silence
            try expectSync(start, of: script, try StoredPackets(directory + "/take.mov"))
        }
    }

    @Test func recording_ofAudioThatNeverBegins_hasTheVideo() async throws {
        try await withTemporaryDirectory { directory in
            let outcome = try await record(try script(.aac([Self.packet]), delay: 60), in: directory)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(outcome.status.audio?.written == 0)
            let probe = try Probe(directory + "/take.mov", decodes: true)
            #expect((100...160).contains(probe.video?.frames ?? 0) && probe.complaints.isEmpty, "\(probe.complaints)")
            #expect(try StoredPackets(directory + "/take.mov").audio.isEmpty)
        }
    }
}
