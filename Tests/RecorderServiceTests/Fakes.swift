import Capture
import Foundation
import MediaTypes
import RealTime

@testable import RecorderService

/// A device whose every event the test sends.
final class FakeSource: CaptureSource {
    let format: FormatDescription
    let frameRate: FrameRate?
    let summary = "a device of the test"
    private let receiver = Locked<(@Sendable (CaptureEvent) -> Void)?>(nil)
    private let stopped = Locked(false)
    private let sending = Locked(0)

    init(_ format: FormatDescription, frameRate: FrameRate? = nil) {
        self.format = format
        self.frameRate = frameRate
    }

    static func camera() -> FakeSource { FakeSource(.video(VideoFormat(pixelFormat: .nv12, width: 64, height: 32))) }
    static func microphone() -> FakeSource {
        FakeSource(.audio(AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)))
    }

    var isStarted: Bool { receiver.withLock { $0 != nil } }
    var isStopped: Bool { stopped.withLock { $0 } }

    func start(_ receiver: @escaping @Sendable (CaptureEvent) -> Void) throws(MediaError) {
        self.receiver.withLock { $0 = receiver }
    }

    /// Returns when no event is on its way any more.
    func stop() {
        stopped.withLock { $0 = true }
        _ = sending.waiting { $0 == 0 ? true : nil }
    }

    /// As a device's thread would; a stopped device is silent.
    func send(_ event: CaptureEvent) {
        sending.withLock { $0 += 1 }
        defer {
            sending.withLock { $0 -= 1 }
            sending.broadcast()
        }
        guard !isStopped, let receiver = receiver.withLock({ $0 }) else { return }
        receiver(event)
    }

    func frame(at time: Int) {
        guard case .video(let video) = format else { return }
        let layout = PixelLayout(format: .nv12, width: video.width, height: video.height)
        let pixels = PixelBuffer(layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
        send(.sample(SampleBuffer(pixels: pixels, presentationTime: milliseconds(time))))
    }

    func block(at time: Int) { send(.sample(sound(at: time))) }
}

/// Opens the test's devices, and holds on to their keepers, so that a test can say when a device is looked for.
final class FakeOpener: KeeperOpener {
    private let camera: FakeDevice?
    private let microphone: FakeDevice?
    private let error: MediaError?
    private let keepers = Locked<[DeviceKeeper]>([])

    init(camera: FakeDevice? = nil, microphone: FakeDevice? = nil, error: MediaError? = nil) {
        self.camera = camera
        self.microphone = microphone
        self.error = error
    }

    func openKeepers(
        _ configuration: RecordingConfiguration
    ) throws(MediaError) -> (camera: DeviceKeeper?, microphone: DeviceKeeper?) {
        if let error { throw error }
        return (try keeper("camera", camera), try keeper("microphone", microphone))
    }

    private func keeper(_ name: String, _ device: FakeDevice?) throws(MediaError) -> DeviceKeeper? {
        guard let device else { return nil }
        let keeper = try DeviceKeeper(name: name) { () throws(MediaError) in try device.open() }
        keepers.withLock { $0.append(keeper) }
        return keeper
    }

    /// As when something is plugged in.
    func lookAgain() { for keeper in keepers.withLock({ $0 }) { keeper.tryNow() } }
}

/// A condition did not become true in time.
struct TooLate: Error {}

/// Waits for a condition, ten seconds at most.
func eventually(_ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while !condition() {
        guard ContinuousClock.now < deadline else { throw TooLate() }
        try await Task.sleep(for: .milliseconds(2))
    }
}
