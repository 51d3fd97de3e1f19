import AVCapture
import Capture
import FakeDevices
import Foundation
import MediaTypes
import RealTime

/// A camera and a microphone that the test controls.
final class FakeHardware: CaptureHardware {
    let camera: FakeDevice
    let microphone: FakeDevice
    private let list: Locked<[FoundDevice]>
    let controls = FakeControls()
    private let modes = Locked<[DeviceMode]>([])

    init(_ format: FormatDescription = .video(VideoFormat(pixelFormat: .nv12, width: 64, height: 32))) {
        camera = FakeDevice { FakeSource(format) }
        microphone = FakeDevice { FakeSource.microphone() }
        list = Locked([])
        let formats = [FrameSize(64, 32), FrameSize(1280, 720), FrameSize(640, 480), FrameSize(3840, 2160)].map {
            DeviceFormat(
                .video(VideoFormat(pixelFormat: .nv12, width: $0.width, height: $0.height)), pixelFormat: .nv12,
                rates: $0.width > 2000 ? [Self.span(5, 5)] : [Self.span(15, 15), Self.span(30, 30)])
        }
        let audio = [DeviceFormat(.audio(AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)))]
        let (camera, microphone, modes, controls) = (camera, microphone, modes, controls)
        let found = [
            FoundDevice(
                .camera, uniqueID: "port-1", modelID: "fake", name: "Fake Camera", formats: formats,
                controls: FakeControls.all, access: controls.access
            ) { mode, settings in
                modes.withLock { $0.append(mode) }
                return { () throws(MediaError) in
                    let source = try camera.open()
                    controls.opened(with: settings())
                    return source
                }
            },
            FoundDevice(.microphone, uniqueID: "card-1", modelID: "fake", name: "Fake Microphone", formats: audio) {
                mode, _ in
                modes.withLock { $0.append(mode) }
                return { () throws(MediaError) in try microphone.open() }
            },
        ]
        list.withLock { $0 = found }
    }

    private static func span(_ slowest: Int32, _ fastest: Int32) -> RateSpan {
        RateSpan(FrameRate(slowest), FrameRate(fastest))
    }

    /// The modes in which devices were opened.
    var openedModes: [DeviceMode] { modes.withLock { $0 } }

    func devices(_ kind: DeviceKind) -> [FoundDevice] { list.withLock { $0.filter { $0.kind == kind } } }

    func change(_ body: (inout [FoundDevice]) -> Void) { list.withLock { body(&$0) } }
}

/// A session with the fake devices.
struct FakeSession {
    let hardware: FakeHardware
    let registry: DeviceRegistry
    let session = AVCaptureSession()
    let camera: AVCaptureDevice
    let microphone: AVCaptureDevice

    init(_ hardware: FakeHardware = FakeHardware(), withAudio: Bool = false) throws {
        self.hardware = hardware
        registry = DeviceRegistry(hardware)
        guard let camera = registry.devices(for: .video).first, let microphone = registry.devices(for: .audio).first
        else { throw FakeDevice.missing }
        self.camera = camera
        self.microphone = microphone
        session.addInput(try AVCaptureDeviceInput(device: camera))
        if withAudio { session.addInput(try AVCaptureDeviceInput(device: microphone)) }
    }

    /// The source that the camera was opened as last.
    var source: FakeSource { hardware.camera.source }
    var microphoneSource: FakeSource { hardware.microphone.source }
}

/// A delegate of both data outputs that writes down its calls.
final class Delegate: NSObject, AVCaptureVideoDataOutputSampleBufferDelegate,
    AVCaptureAudioDataOutputSampleBufferDelegate, @unchecked Sendable
{
    // Unchecked: the closure never changes, and the rest is locked.
    private let lines = Locked<[String]>([])
    private let buffers = Locked<[CMSampleBuffer]>([])
    private let whenCalled: @Sendable () -> Void

    init(_ whenCalled: @escaping @Sendable () -> Void = {}) { self.whenCalled = whenCalled }

    var told: [String] { lines.withLock { $0 } }
    var samples: [CMSampleBuffer] { buffers.withLock { $0 } }

    func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {
        lines.withLock { $0.append("sample \(Self.milliseconds(sampleBuffer))") }
        buffers.withLock { $0.append(sampleBuffer) }
        whenCalled()
    }

    func captureOutput(
        _ output: AVCaptureOutput, didDrop sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {
        let reason =
            CMGetAttachment(
                sampleBuffer, key: kCMSampleBufferAttachmentKey_DroppedFrameReason, attachmentModeOut: nil) as? String
        lines.withLock { $0.append("\(reason ?? "?") \(Self.milliseconds(sampleBuffer))") }
    }

    private static func milliseconds(_ buffer: CMSampleBuffer) -> Int64 {
        CMTimeConvertScale(buffer.presentationTimeStamp, timescale: 1000, method: .default).value
    }
}

/// A gate between threads, for one to pass.
final class Gate: @unchecked Sendable {
    // Unchecked: a semaphore is thread-safe.
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func wait() { semaphore.wait() }
    /// Passes the gate if it is open.
    func isOpen() -> Bool { semaphore.wait(timeout: .now()) == .success }
}

/// The notifications of one object, by name.
final class Notices: @unchecked Sendable {
    // Unchecked: the observer is set once, by the initializer, and the rest is locked.
    private let list = Locked<[(name: Notification.Name, error: AVError?)]>([])
    private var observers: [any NSObjectProtocol] = []

    init(of object: AnyObject, _ names: [Notification.Name]) {
        observers = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { [list] notice in
                let error = notice.userInfo?[AVCaptureSessionErrorKey] as? AVError
                let name = notice.name
                list.withLock { $0.append((name, error)) }
            }
        }
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    var names: [Notification.Name] { list.withLock { $0.map(\.name) } }
    var errors: [AVError?] { list.withLock { $0.map(\.error) } }
}
