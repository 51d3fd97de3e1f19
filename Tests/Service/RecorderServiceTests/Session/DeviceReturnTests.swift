import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Cameras and microphones that disconnect during a recording, and reconnect.
@Suite(.timeLimit(.minutes(10))) struct DeviceReturnTests {
    @Test func camera_reconnects_beginsTheNextFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            let camera = try #require(bench.camera)
            bench.play(to: 2000)
            camera.unplug()
            try await waitUntil { bench.process.status.video?.present == false }
            bench.play(to: 4000, video: false)
            #expect(bench.process.status.video?.awayFor == 2)
            #expect(bench.process.status.state == .recording)
            #expect(bench.files.all.count == 1)
            try await bench.plugIn(camera)
            bench.play(to: 5000)
            try await waitUntil { bench.process.status.video?.present == true }
            #expect(bench.process.status.video?.awayFor == nil)
            #expect(bench.process.status.error == nil)
            bench.play(to: 6000)
            let outcome = try await bench.end(run, at: 6000)
            #expect(outcome.failure == nil)
            #expect(outcome.status.segments.map(\.file) == ["", "-002"].map { directory + "/take\($0).mov" })
            let files = bench.files.all
            #expect(files.map { $0.opening.start } == [1000, 4000].map { milliseconds($0) })
            #expect(files[0].end == milliseconds(4000))
            #expect(files[1].shown.first == 4000)
            #expect(!bench.log.facts(of: .hook(.deviceLost)).isEmpty)
            #expect(!bench.log.facts(of: .hook(.deviceFound)).isEmpty)
            let closed = bench.log.facts(of: .hook(.segment)).compactMap { $0["file"] }
            #expect(closed == outcome.status.segments.map(\.file))
            // The audio never stopped, and the missing frames are counted.
            #expect(files[0].times(.audio).contains(3900) && files[1].times(.audio).contains(4500))
            #expect(outcome.status.audio?.written == outcome.status.audio?.captured)
            #expect(outcome.status.video?.dropped.device == 50)
            #expect(outcome.status.isExact)
        }
    }

    @Test func allDevices_disconnect_closeTheFileAndReconnectBeginsTheNext() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            let (camera, microphone) = (try #require(bench.camera), try #require(bench.microphone))
            bench.play(to: 2000)
            camera.unplug()
            microphone.unplug()
            try await waitUntil { bench.files.all[0].isWhole }
            #expect(bench.files.all[0].end == milliseconds(2000))
            bench.play(to: 7000, video: false, audio: false)
            let status = bench.process.status
            #expect(status.state == .recording)
            #expect(status.video?.awayFor == 5 && status.audio?.awayFor == 5)
            try await bench.plugIn(camera)
            bench.play(to: 8000, audio: false)
            #expect(bench.files.all.count == 2)
            try await bench.plugIn(microphone)
            bench.play(to: 9000)
            let outcome = try await bench.end(run, at: 9000)
            #expect(outcome.failure == nil && outcome.status.isExact)
            let file = bench.files.all[1]
            #expect(file.opening.start == milliseconds(7000))
            #expect(file.shown.first == 7000)
            #expect(file.times(.audio).contains(8500))
            #expect(bench.files.all.allSatisfy { $0.isWhole })
            #expect(outcome.status.video?.dropped.device == 125)
        }
    }

    @Test func microphone_reconnectsAudioOnly_beginsTheNextFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory, camera: false)
            let run = bench.run()
            try await bench.ready()
            let microphone = try #require(bench.microphone)
            bench.play(to: 2000)
            microphone.unplug()
            try await waitUntil { bench.files.all[0].isWhole }
            bench.play(to: 4000, audio: false)
            try await bench.plugIn(microphone)
            bench.play(to: 5000)
            let outcome = try await bench.end(run, at: 5000)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(bench.files.all.map { $0.opening.start } == [1000, 4000].map { milliseconds($0) })
            #expect(outcome.status.audio?.dropped.device == 96_000)
        }
    }

    @Test func stop_allDevicesDisconnected_endsTheRecording() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            bench.camera?.unplug()
            bench.microphone?.unplug()
            try await waitUntil { bench.files.all[0].isWhole }
            bench.play(to: 3000, video: false, audio: false)
            let outcome = try await bench.end(run, at: 3000)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(bench.files.all.count == 1)
            #expect(outcome.status.duration == 1)
        }
    }

    @Test func camera_reconnectsInAnotherFormat_getsItsOwnFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            let camera = try #require(bench.camera)
            bench.play(to: 2000)
            camera.unplug()
            camera.become { FakeSource(.video(VideoFormat(pixelFormat: .nv12, width: 128, height: 96))) }
            bench.play(to: 3000, video: false)
            try await bench.plugIn(camera)
            // Its encoder is opened when the first frame arrives.
            try await bench.play { bench.files.all.count == 2 }
            bench.play(to: bench.now + 1000)
            #expect(bench.process.status.video?.width == 128)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(bench.files.all[1].opening.video?.video?.width == 128)
        }
    }

    @Test func camera_reconnectsInAFormatThatCannotBeEncoded_countsAsDisconnected() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory, microphone: false)
            let run = bench.run()
            try await bench.ready()
            let camera = try #require(bench.camera)
            bench.play(to: 2000)
            camera.unplug()
            camera.become { FakeSource(.video(VideoFormat(pixelFormat: .nv12, width: 128, height: 96))) }
            bench.encoders.refuse(MediaError(.invalidSettings, "cannot crop frames", reason: "the test says so"))
            camera.refuse(nil)
            // The recording waits for a camera that can be encoded.
            try await bench.play { camera.sources.count == 3 && camera.source.isStarted }
            try await waitUntil { bench.log.facts(of: .hook(.deviceLost)).count == 2 }
            #expect(bench.log.facts(of: .hook(.deviceLost))[1]["error"]?.contains("the test says so") == true)
            #expect(bench.process.status.state == .recording)
            bench.encoders.refuse(nil)
            try await bench.play { bench.files.all.count == 2 }
            bench.play(to: bench.now + 1000)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(bench.files.all[1].opening.video?.video?.width == 128)
        }
    }

    @Test func encoder_failsAfterTheOtherRecovered_doesNotEndTheRecording() {
        var devices = SessionDevices(opener: FakeOpener())
        let tracks = [MediaType.video, .audio]
        var ends = [devices.recordFailure(of: .video, among: tracks)]
        devices.recordReturn(of: .video)
        for type in [MediaType.audio, .video] { ends.append(devices.recordFailure(of: type, among: tracks)) }
        #expect(ends == [false, false, true])
    }

    private static let damage = MediaError(.corruptData, "cannot decode", reason: "the test says so")

    @Test func camera_onlyDamagedFrames_countsAsDisconnected() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory, microphone: false)
            let run = bench.run()
            try await bench.ready()
            let camera = try #require(bench.camera)
            bench.play(to: 2000)
            try #require(bench.encoders.made(.video).last).damage(because: Self.damage)
            try await bench.play { camera.sources.count == 2 && camera.source.isStarted }
            try await waitUntil { !bench.log.facts(of: .hook(.deviceLost)).isEmpty }
            let lost = bench.log.facts(of: .hook(.deviceLost))
            #expect(lost.count == 1 && lost[0]["error"]?.contains("the test says so") == true)
            // The next encoder gets intact frames.
            try await bench.play { bench.files.all.count == 2 }
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(outcome.status.video?.dropped.corrupt ?? 0 > 0)
        }
    }

    @Test func start_onlyDamagedFrames_failsWithTheReason() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory, microphone: false)
            let run = bench.run()
            try await bench.ready()
            try #require(bench.encoders.made(.video).last).damage(because: Self.damage)
            bench.camera?.refuse(FakeDevice.missing)
            let outcome = try await bench.playing(Task { await run.value })
            #expect(outcome.failure?.error.code == .deviceLost)
            #expect(outcome.failure?.error.description.contains("the test says so") == true)
            #expect(bench.now >= 16_000)
        }
    }

    @Test func stop_onlyDamagedFrames_reportsThem() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory, microphone: false)
            let run = bench.run()
            try await bench.ready()
            try #require(bench.encoders.made(.video).last).damage(because: Self.damage)
            bench.play(to: 2000)
            let outcome = try await bench.end(run, at: 2000)
            #expect(outcome.failure?.error.reason == "none of the 25 captured frames can be decoded")
        }
    }
}
