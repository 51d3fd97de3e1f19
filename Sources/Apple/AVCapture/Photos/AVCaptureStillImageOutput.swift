public import AVFoundation
public import Foundation
import MediaCodecs
import MediaTypes
import RealTime

/// Captures single frames of a camera as sample buffers. Older programs use it instead of `AVCapturePhotoOutput`.
open class AVCaptureStillImageOutput: AVCaptureOutput, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private struct State {
        var settings: [String: Any] = [AVVideoCodecKey: AVVideoCodecType.jpeg.rawValue]
        /// The number of requests whose handler was not called yet.
        var capturing = 0
    }

    private let state = Locked(State())
    private let requests = PhotoRequests()

    public override init() { super.init() }

    /// The form of the images, which applies to later requests. Either JPEG under `AVVideoCodecKey`, with a quality
    /// from 0 to 1 under `AVVideoQualityKey`, or a pixel format under `kCVPixelBufferPixelFormatTypeKey`. The default
    /// is JPEG. With invalid settings, each request fails.
    open var outputSettings: [String: Any] {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    /// The pixel formats that the settings accept, as numbers that contain an `OSType`.
    open var availableImageDataCVPixelFormatTypes: [NSNumber] {
        PhotoForm.pixelFormats.map { NSNumber(value: $0) }
    }

    /// The codecs that the settings accept: JPEG.
    open var availableImageDataCodecTypes: [AVVideoCodecType] { [.jpeg] }

    /// True from a request until its handler is called.
    open var isCapturingStillImage: Bool { state.withLock { $0.capturing > 0 } }

    /// Captures the camera's next frame. The request fails if the camera is removed from the session before the frame
    /// comes.
    ///
    /// - Parameters:
    ///   - connection: The output's own connection. A request with another connection fails.
    ///   - handler: Called on a queue of the output, one call at a time. It gets the image or an `AVError`. The image
    ///     is a JPEG file in a block buffer, or a frame.
    open func captureStillImageAsynchronously(
        from connection: AVCaptureConnection,
        completionHandler handler: @escaping @Sendable (CMSampleBuffer?, (any Error)?) -> Void
    ) {
        let form = Result { () throws(MediaError) in try photoForm(for: connection) }
        let orientation = connection.orientation
        state.withLock { $0.capturing += 1 }
        requests.add(to: self) { [self] frame in
            let image = frame.flatMap { frame in Self.image(of: frame, form, orientation) }
            // The count is reduced first, because the handler may request the next image.
            state.withLock { $0.capturing -= 1 }
            switch image {
            case .success(let image): handler(image, nil)
            case .failure(let error): handler(nil, error)
            }
        }
    }

    private func photoForm(for connection: AVCaptureConnection) throws(MediaError) -> PhotoForm {
        guard connections.contains(where: { $0 === connection }) else {
            throw MediaError(
                .invalidState, "cannot capture a still image", reason: "the connection does not belong to the output",
                wayOut: "pass connection(with: .video) of the output")
        }
        return try PhotoForm(outputSettings)
    }

    private static func image(
        of frame: SampleBuffer, _ form: Result<PhotoForm, MediaError>, _ orientation: FrameOrientation
    ) -> Result<CMSampleBuffer, AVError> {
        form.flatMap { form in Result { () throws(MediaError) in try form.sampleBuffer(of: frame, orientation) } }
            .mapError { error in AVError(error) }
    }

    /// Returns the bytes of a JPEG file; nil for a sample buffer that is not JPEG.
    open class func jpegStillImageNSDataRepresentation(_ jpegSampleBuffer: CMSampleBuffer) -> Data? {
        guard jpegSampleBuffer.formatDescription?.mediaSubType == .jpeg else { return nil }
        return try? jpegSampleBuffer.dataBuffer?.dataBytes()
    }

    // MARK: The session's side

    override func accepts(_ mediaType: AVMediaType, beside connections: [AVCaptureConnection]) -> Bool {
        mediaType == .video && connections.isEmpty
    }

    override func sink(for connection: AVCaptureConnection) -> (any CaptureSink)? { requests }

    /// Returns true for raw frames, and for JPEG, which is decoded for the image.
    override func canTurn(_ codec: VideoCodec) -> Bool { codec == .raw || codec == .mjpeg }

    override func part(from connection: AVCaptureConnection) {
        super.part(from: connection)
        if connections.isEmpty { requests.refuseWithoutCamera() }
    }

    override func sessionIsRunning(_ isRunning: Bool) { requests.sessionIsRunning(isRunning) }
}

extension PhotoForm {
    /// Returns a camera's frame as a still image: a JPEG file in a block buffer, or a frame in a pixel format.
    fileprivate func sampleBuffer(
        of frame: SampleBuffer, _ orientation: FrameOrientation
    ) throws(MediaError) -> CMSampleBuffer {
        let photo = try prepare(frame, orientation)
        guard let jpeg = try file(of: photo), let video = photo.format.video else { return CMSampleBuffer(photo) }
        return CMSampleBuffer(
            SampleBuffer(
                format: .video(VideoFormat(codec: .mjpeg, width: video.width, height: video.height)),
                content: .data(jpeg), presentationTime: photo.presentationTime, duration: photo.duration))
    }
}
