import Foundation
import Glibc
import TestSupport
import Testing

/// The camera behind libcamera is unplugged and plugged in while another recorder runs. In real time: without its
/// devices libcamera's loop spins, and virtual time would stand still.
@Suite(.serialized) struct LibcameraRealPipeline {
    @Test func camera_unpluggedThreeTimes_returnsAndDisturbsNoOther() throws { try unplug(3) }

    @Test func camera_unpluggedFiftyTimesOver_returnsAndDisturbsNoOther() throws { try unplug(50) }

    private func unplug(_ rounds: Int) throws {
        let place = try TemporaryDirectory()
        let other = LabRecorder(
            [
                "--camera", "/dev/video0", "--microphone", "hw:Loopback,1,0", "--size", "320x180", "--frame-rate", "25",
                "--preset", "ultrafast", "--output", place.path("other.mov"),
            ], in: place, name: "other")
        #expect(other.waitsForStart())
        let recorder = LabRecorder(
            LabPipeline.arguments(output: place.path("movie.mov"), more: ["--microphone", "none"]), in: place)
        #expect(recorder.waitsForStart(atMost: 60))
        for round in 1...rounds {
            // After ten seconds of frames the next helper is started at once.
            LabSignal.hold(seconds: 11)
            let before = recorder.messages.count
            let unplugging = LabPipeline.unplug()
            // The camera is lost: its helper hangs, or libcamera ends it.
            let isLost = eventually(within: 90) { recorder.messages.dropFirst(before).contains("lost the camera") }
            #expect(isLost, "round \(round)")
            #expect(unplugging.wait() == 0)
            let away = recorder.messages.count
            LabPipeline.plugIn()
            let isBack = eventually(within: 120) { recorder.messages.dropFirst(away).contains("reconnected") }
            #expect(isBack, "round \(round)")
        }
        let end = try #require(try recorder.stop())
        let video = try #require(end.video)
        #expect(video.captured == video.written + video.droppedInAll)
        #expect(try MovieMeasure(url: URL(fileURLWithPath: place.path("movie.mov"))).decodingErrors() == "")
        let others = try #require(try other.stop())
        let shown = try #require(others.video)
        #expect(shown.captured == shown.written + shown.droppedInAll)
        // On a busy machine the driver itself may skip a frame; the recorder may not.
        #expect(shown.dropped.filter { $0.key != "device" }.values.allSatisfy { $0 == 0 }, "\(shown.dropped)")
        #expect(others.audio?.droppedInAll == 0)
        let errors = try MovieMeasure(url: URL(fileURLWithPath: place.path("other.mov"))).decodingErrors()
        #expect(errors == "", "\(shown)")
    }
}
