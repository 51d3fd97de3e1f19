import MediaTypes
import Testing

@testable import AVCapture

@Suite struct PresetChoiceTests {
    private static func format(
        _ width: Int, _ height: Int, _ pixels: CameraPixelFormat, _ rate: Int32
    ) -> DeviceFormat {
        DeviceFormat(
            .video(VideoFormat(codec: .raw, width: width, height: height)), pixelFormat: pixels,
            rates: [RateSpan(FrameRate(rate), FrameRate(rate))])
    }

    /// A usual webcam: large raw frames are slow.
    private let formats = [
        Self.format(1920, 1080, .yuyv, 5), Self.format(1920, 1080, .mjpeg, 30), Self.format(3840, 2160, .mjpeg, 10),
        Self.format(640, 480, .yuyv, 30), Self.format(640, 480, .mjpeg, 30), Self.format(320, 240, .yuyv, 30),
    ]

    @Test(arguments: [
        (AVCaptureSessionPreset.high, 1), (.medium, 3), (.low, 5), (.photo, 2), (.vga640x480, 3), (.qvga320x240, 5),
        (.hd1920x1080, 1), (.hd4K3840x2160, 2),
    ])
    func preset_webcam_selectsItsFormat(_ preset: AVCaptureSessionPreset, _ place: Int) {
        #expect(PresetChoice(preset)?.place(in: formats) == place)
    }

    @Test func preset_sizeThatIsMissing_selectsNothing() {
        #expect(PresetChoice(.hd1280x720)?.place(in: formats) == nil)
        #expect(PresetChoice(.inputPriority)?.place(in: formats) == nil)
        #expect(PresetChoice(.high)?.place(in: []) == nil)
        #expect(PresetChoice(AVCaptureSessionPreset(rawValue: "other")) == nil)
    }
}
