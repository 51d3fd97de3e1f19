package import Capture
package import MediaTypes
import RealTime

/// A device whose every event the test sends.
package final class FakeSource: CaptureSource {
    package let format: FormatDescription
    package let frameRate: FrameRate?
    package let summary = "a device of the test"
    private let receiver = Locked<(@Sendable (DeviceEvent) -> Void)?>(nil)
    private let stopped = Locked(false)
    private let sending = Locked(0)

    package init(_ format: FormatDescription, frameRate: FrameRate? = nil) {
        self.format = format
        self.frameRate = frameRate
    }

    package static func camera() -> FakeSource {
        FakeSource(.video(VideoFormat(pixelFormat: .nv12, width: 64, height: 32)))
    }
    package static func microphone() -> FakeSource {
        FakeSource(.audio(AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)))
    }

    package var isStarted: Bool { receiver.withLock { $0 != nil } }
    package var isStopped: Bool { stopped.withLock { $0 } }

    package func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        self.receiver.withLock { $0 = receiver }
    }

    /// Returns once no event is being delivered.
    package func stop() {
        stopped.withLock { $0 = true }
        _ = sending.waiting { $0 == 0 ? true : nil }
    }

    /// Sends an event like a device's thread; a stopped device sends none.
    package func send(_ event: DeviceEvent) {
        sending.withLock { $0 += 1 }
        defer {
            sending.withLock { $0 -= 1 }
            sending.broadcast()
        }
        guard !isStopped, let receiver = receiver.withLock({ $0 }) else { return }
        receiver(event)
    }

    package func frame(at time: Int) {
        guard case .video(let video) = format else { return }
        let layout = PixelLayout(format: .nv12, width: video.width, height: video.height)
        let pixels = PixelBuffer(layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
        send(.sample(SampleBuffer(pixels: pixels, presentationTime: milliseconds(time))))
    }

    package func block(at time: Int) { send(.sample(audio(at: time))) }
}
