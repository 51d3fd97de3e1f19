import Foundation
import Glibc
import TestSupport
import Testing

/// The camera behind libcamera is unplugged and plugged in while two other recorders run. In real time: without its
/// devices libcamera's loop spins, and virtual time would stand still.
@Suite(.serialized) struct LibcameraRealPipeline {
    @Test func camera_unpluggedThreeTimes_returnsAndDisturbsNoOther() throws { try unplug(3) }

    @Test func camera_unpluggedFiftyTimesOver_returnsAndDisturbsNoOther() throws { try unplug(50) }

    private func unplug(_ rounds: Int) throws {
        let place = try TemporaryDirectory()
        let others = [
            other("first", ["--camera", "/dev/video0", "--microphone", "hw:Loopback,1,0"], in: place),
            other("second", ["--camera", "/dev/video1", "--microphone", "none"], in: place),
        ]
        for other in others { #expect(other.waitsForStart()) }
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
        // Without audio, each absence ends a file.
        #expect(end.segments.count == rounds + 1, "\(end.segments)")
        for segment in end.segments {
            let movie = MovieMeasure(url: URL(fileURLWithPath: segment.file))
            #expect(try movie.decodingErrors() == "", "\(segment)")
        }
        let losses = recorder.messages.split(separator: "\n").filter { $0.contains("lost the camera") }
        #expect(losses.count == rounds && losses.allSatisfy { $0.contains(/lost the camera [^:]+: ./) }, "\(losses)")
        let ends = try others.map { try endWithoutLoss($0, in: place) }
        #expect(ends[0].audio?.droppedInAll == 0)
    }

    private func other(_ name: String, _ devices: [String], in place: TemporaryDirectory) -> LabRecorder {
        LabRecorder(
            devices + [
                "--size", "320x180", "--frame-rate", "25", "--preset", "ultrafast", "--output",
                place.path("\(name).mov"),
            ], in: place, name: name)
    }

    /// Stops a recorder, and expects that it lost no frame.
    private func endWithoutLoss(_ other: LabRecorder, in place: TemporaryDirectory) throws -> RecorderAnswer {
        let end = try #require(try other.stop())
        let shown = try #require(end.video)
        #expect(shown.captured == shown.written + shown.droppedInAll)
        // On a busy machine the driver itself may skip a frame; the recorder may not.
        #expect(shown.dropped.filter { $0.key != "device" }.values.allSatisfy { $0 == 0 }, "\(shown.dropped)")
        let movie = MovieMeasure(url: URL(fileURLWithPath: place.path("\(other.name).mov")))
        #expect(try movie.decodingErrors() == "", "\(shown)")
        return end
    }
}
