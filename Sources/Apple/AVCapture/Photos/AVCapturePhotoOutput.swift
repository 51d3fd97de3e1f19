public import AVFoundation
import Capture
public import Foundation
import MediaCodecs
import MediaTypes
import RealTime

/// Captures single frames of a camera in the mode in which the session runs: as JPEG, or in a pixel format.
open class AVCapturePhotoOutput: AVCaptureOutput, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private struct State: Sendable {
        var waiting: [PhotoRequest] = []
        var isRunning = false
    }

    private let state = Locked(State())
    /// Frames are prepared and delegates are called here. A delegate may block.
    private let photos = DispatchQueue(label: "recorder.photo-output")

    public override init() { super.init() }

    /// The codecs for the settings: JPEG.
    open var availablePhotoCodecTypes: [AVVideoCodecType] { [.jpeg] }

    /// The pixel formats for the settings.
    open var availablePhotoPixelFormatTypes: [OSType] {
        [
            kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8Planar,
            kCVPixelFormatType_422YpCbCr8, kCVPixelFormatType_32BGRA,
        ]
    }

    /// The flash modes for the settings: off, because V4L2 has no flash.
    open var supportedFlashModes: [AVCaptureDevice.FlashMode] { [.off] }

    /// Captures the camera's next frame. The photo fails if the camera is removed from the session before that.
    ///
    /// - Parameter delegate: Retained until its last call, `didFinishCaptureFor`.
    open func capturePhoto(with settings: AVCapturePhotoSettings, delegate: any AVCapturePhotoCaptureDelegate) {
        let request = PhotoRequest(
            settings: settings, recipient: PhotoRequest.Recipient(delegate: delegate),
            orientation: connections.first?.orientation ?? .upright)
        let isWaiting = state.withLock { state in
            guard state.isRunning else { return false }
            state.waiting.append(request)
            return true
        }
        guard isWaiting else { return refuse([request], Self.notRunning) }
        if !connections.contains(where: \.isActive) { refuseWithoutCamera() }
    }

    private func refuse(_ requests: [PhotoRequest], _ error: AVError) {
        guard !requests.isEmpty else { return }
        photos.async { for request in requests { request.fail(error, self) } }
    }

    /// Ends the requests for which no frame comes.
    private func refuseWithoutCamera() {
        let error = MediaError(
            .invalidState, "cannot capture a photo", reason: "the output is not connected to a camera",
            wayOut: "add a camera to the session, and enable its connection")
        refuse(takeWaiting(), AVError(error))
    }

    private func takeWaiting() -> [PhotoRequest] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private static let notRunning = AVError(
        .sessionNotRunning,
        MediaError(
            .invalidState, "cannot capture a photo", reason: "the session is not running",
            wayOut: "call startRunning first"))

    // MARK: The session's side

    override func accepts(_ mediaType: AVMediaType, beside connections: [AVCaptureConnection]) -> Bool {
        mediaType == .video && connections.isEmpty
    }

    override func sink(for connection: AVCaptureConnection) -> (any CaptureSink)? { PhotoSink(self) }

    /// Returns true for frames that are raw, or decoded for the photo.
    override func canTurn(_ codec: VideoCodec) -> Bool { codec == .raw || codec == .mjpeg }

    override func part(from connection: AVCaptureConnection) {
        super.part(from: connection)
        if connections.isEmpty { refuseWithoutCamera() }
    }

    override func sessionIsRunning(_ isRunning: Bool) {
        let left = state.withLock { state in
            state.isRunning = isRunning
            defer { if !isRunning { state.waiting = [] } }
            return isRunning ? [] : state.waiting
        }
        refuse(left, Self.notRunning)
    }

    /// Takes a frame for the photos that wait. Called on the camera's thread.
    fileprivate func take(_ frame: SampleBuffer) {
        let requests = takeWaiting()
        guard !requests.isEmpty else { return }
        photos.async { for request in requests { request.finish(frame, self) } }
    }
}

/// The path of a camera's frames to the photos that wait.
private final class PhotoSink: CaptureSink, @unchecked Sendable {
    // Unchecked: `output` is set once, by the initializer.
    private weak var output: AVCapturePhotoOutput?

    init(_ output: AVCapturePhotoOutput) { self.output = output }

    func receive(_ event: DeviceEvent) {
        if case .sample(let frame) = event { output?.take(frame) }
    }
}

/// The receiver of a photo's events, called on a queue of the output, one at a time, in the order in which the methods
/// are listed.
public protocol AVCapturePhotoCaptureDelegate: NSObjectProtocol {
    func photoOutput(
        _ output: AVCapturePhotoOutput, willBeginCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings)

    func photoOutput(
        _ output: AVCapturePhotoOutput, didCapturePhotoFor resolvedSettings: AVCaptureResolvedPhotoSettings)

    /// Called for each request: with the photo, or with the reason why it has no image.
    func photoOutput(
        _ output: AVCapturePhotoOutput, didFinishProcessingPhoto photo: AVCapturePhoto, error: (any Error)?)

    /// Called last, for each request; with the reason if there is no photo.
    func photoOutput(
        _ output: AVCapturePhotoOutput, didFinishCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings,
        error: (any Error)?)
}

extension AVCapturePhotoCaptureDelegate {
    public func photoOutput(
        _ output: AVCapturePhotoOutput, willBeginCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings
    ) {}

    public func photoOutput(
        _ output: AVCapturePhotoOutput, didCapturePhotoFor resolvedSettings: AVCaptureResolvedPhotoSettings
    ) {}

    public func photoOutput(
        _ output: AVCapturePhotoOutput, didFinishProcessingPhoto photo: AVCapturePhoto, error: (any Error)?
    ) {}

    public func photoOutput(
        _ output: AVCapturePhotoOutput, didFinishCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings,
        error: (any Error)?
    ) {}
}
