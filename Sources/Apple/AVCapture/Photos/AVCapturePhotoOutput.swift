public import AVFoundation
public import Foundation
import MediaCodecs
import MediaTypes

/// Captures single frames of a camera, as JPEG or in a pixel format. The camera stays in the mode in which the session
/// runs it.
open class AVCapturePhotoOutput: AVCaptureOutput, @unchecked Sendable {
    // Unchecked: immutable.
    private let requests = PhotoRequests()

    public override init() { super.init() }

    /// The codecs that the settings accept: JPEG.
    open var availablePhotoCodecTypes: [AVVideoCodecType] { [.jpeg] }

    /// The pixel formats that the settings accept.
    open var availablePhotoPixelFormatTypes: [OSType] { PhotoForm.pixelFormats }

    /// The flash modes that the settings accept: only off, because V4L2 has no flash.
    open var supportedFlashModes: [AVCaptureDevice.FlashMode] { [.off] }

    /// Captures the camera's next frame. The photo fails if the camera is removed from the session before the frame
    /// comes.
    ///
    /// - Parameter delegate: Retained until its last call, `didFinishCaptureFor`.
    open func capturePhoto(with settings: AVCapturePhotoSettings, delegate: any AVCapturePhotoCaptureDelegate) {
        let request = PhotoRequest(
            settings: settings, recipient: PhotoRequest.Recipient(delegate: delegate),
            orientation: connections.first?.orientation ?? .upright)
        requests.add(to: self) { [self] frame in request.finish(frame, self) }
    }

    // MARK: The session's side

    override func accepts(_ mediaType: AVMediaType, beside connections: [AVCaptureConnection]) -> Bool {
        mediaType == .video && connections.isEmpty
    }

    override func sink(for connection: AVCaptureConnection) -> (any CaptureSink)? { requests }

    /// Returns true for raw frames, and for JPEG, which is decoded for the photo.
    override func canTurn(_ codec: VideoCodec) -> Bool { codec == .raw || codec == .mjpeg }

    override func part(from connection: AVCaptureConnection) {
        super.part(from: connection)
        if connections.isEmpty { requests.refuseWithoutCamera() }
    }

    override func sessionIsRunning(_ isRunning: Bool) { requests.sessionIsRunning(isRunning) }
}

/// The receiver of a photo's events. The methods are called in the order in which they are declared here, on a queue of
/// the output, one call at a time.
public protocol AVCapturePhotoCaptureDelegate: NSObjectProtocol {
    func photoOutput(
        _ output: AVCapturePhotoOutput, willBeginCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings)

    func photoOutput(
        _ output: AVCapturePhotoOutput, didCapturePhotoFor resolvedSettings: AVCaptureResolvedPhotoSettings)

    /// Called for each request, with the photo or with the reason why the photo has no image.
    func photoOutput(
        _ output: AVCapturePhotoOutput, didFinishProcessingPhoto photo: AVCapturePhoto, error: (any Error)?)

    /// Called last, for each request. The error is the reason why there is no photo, or nil.
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
