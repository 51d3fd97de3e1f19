import Capture
import Foundation
import MediaTypes
import RealTime

/// The built-in devices of `Capture`, which need no hardware.
enum TestDevices {
    /// The environment variable that includes the test devices in every search.
    static let variable = "RECORDER_TEST_DEVICES"

    private static let choice = Locked<Bool?>(nil)

    /// True if searches find the test devices. A program's own choice decides. Without a choice, this is true if the
    /// variable is set and is neither empty nor `0`.
    static var areIncluded: Bool {
        get {
            choice.withLock { $0 } ?? ProcessInfo.processInfo.environment[variable].map { $0 != "0" && !$0.isEmpty }
                ?? false
        }
        set { choice.withLock { $0 = newValue } }
    }

    static func device(_ kind: DeviceKind) -> FoundDevice { kind == .camera ? camera() : microphone() }

    private static func camera() -> FoundDevice {
        let sizes = [FrameSize(1280, 720), FrameSize(1920, 1080), FrameSize(640, 480), FrameSize(320, 240)]
        let formats = sizes.map { size in
            DeviceFormat(
                .video(VideoFormat(pixelFormat: .nv12, width: size.width, height: size.height, color: .bt709)),
                pixelFormat: .nv12, rates: [RateSpan(FrameRate(1), FrameRate(60))])
        }
        return FoundDevice(
            .camera, uniqueID: "test-camera", modelID: "test camera", name: "Test Camera", formats: formats
        ) { mode, _ in
            return { () throws(MediaError) in
                let size = mode.size ?? sizes[0]
                return try TestCamera(
                    width: size.width, height: size.height, frameRate: mode.frameRate ?? FrameRate(30))
            }
        }
    }

    private static func microphone() -> FoundDevice {
        let formats = [2, 1].map { channels in
            DeviceFormat(.audio(AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: channels)))
        }
        return FoundDevice(
            .microphone, uniqueID: "test-microphone", modelID: "test microphone", name: "Test Microphone",
            formats: formats
        ) { mode, _ in
            return { () throws(MediaError) in
                try TestMicrophone(
                    sampleRate: mode.audio?.sampleRate ?? 48_000, channelCount: mode.audio?.channelCount ?? 2)
            }
        }
    }
}
