import AssetIO
import MediaTypes
import RealTime
import Testing

@testable import RecorderService
@testable import RecorderStorage

/// The plan of encoders with an encoder of the machine. The device lab and CaptureTests show how one works.
@Suite struct HardwareEncoderPlanTests {
    private final class Sink: PacketSink {
        func accept(_ packet: SampleBuffer, accountsFor count: Int64) {}
        func end(at end: MediaTime?) {}
    }

    private func plan(_ encoder: VideoEncoderChoice) -> EncoderPlan {
        var configuration = RecordingConfiguration()
        configuration.encoder = encoder
        configuration.video = .h264(
            preset: "veryfast", rateControl: .bitRate(1_000_000), keyframeInterval: MediaTime(value: 2, timescale: 1))
        return EncoderPlan(configuration, latency: LatencyMeter())
    }

    @Test func open_nodeThatIsNoEncoder_isRefusedWithItsName() {
        let format = FormatDescription.video(VideoFormat(pixelFormat: .nv12, width: 640, height: 360))
        for path in ["/dev/null", "/etc/hostname"] {
            let error = #expect(throws: MediaError.self) {
                _ = try plan(.v4l2(path)).open(format, frameRate: 30, sink: Sink())
            }
            #expect(error?.code == .deviceUnsuitable && error?.action.contains(path) == true)
        }
        let missing = #expect(throws: MediaError.self) {
            _ = try plan(.v4l2("/dev/no-such-encoder")).open(format, frameRate: 30, sink: Sink())
        }
        #expect(missing?.code == .notFound && missing?.wayOut.contains("recorder devices") == true)
    }

    @Test(arguments: [FieldOrder.upperFirstInterleaved, .lowerFirstInterleaved, nil])
    func open_interlacedFrames_areEncodedAsFields(order: FieldOrder?) throws {
        var format = VideoFormat(pixelFormat: .yuyv, width: 720, height: 576)
        format.fieldOrder = order
        let encoder = try plan(.x264).open(.video(format), frameRate: 25, sink: Sink())
        #expect(encoder.format?.video?.fieldOrder?.showsUpperFirst == order?.showsUpperFirst)
    }

    @Test func stepDown_hardware_hasNoPresets() {
        #expect(plan(.v4l2(nil)).stepDown() == nil && plan(.v4l2(nil)).preset == nil)
        #expect(plan(.x264).preset == "veryfast")
    }
}
