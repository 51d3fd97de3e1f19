import AVFoundation
import MediaCodecs
import MediaTypes

/// A photo that was requested, with the delegate that gets it.
struct PhotoRequest: Sendable {
    struct Recipient: @unchecked Sendable {
        // Unchecked: called on the output's queue only.
        let delegate: any AVCapturePhotoCaptureDelegate
    }

    let settings: AVCapturePhotoSettings
    let recipient: Recipient
    /// The orientation of the connection when the photo was requested.
    let orientation: FrameOrientation

    /// Prepares the photo and calls the delegate, on the output's queue.
    func finish(_ frame: SampleBuffer, _ output: AVCapturePhotoOutput) {
        let photo: SampleBuffer
        let isEncoded: Bool
        do throws(MediaError) {
            guard output.supportedFlashModes.contains(settings.flashMode) else {
                throw MediaError(
                    .invalidSettings, "cannot capture a photo", reason: "V4L2 has no flash",
                    wayOut: "set flashMode to .off")
            }
            let form = try PhotoForm(settings.format)
            isEncoded = form.isEncoded
            photo = try FramePreparer(form.frames).prepare(frame, orientation)
            guard case .pixels = photo.content else {
                throw MediaError(
                    .unsupported, "cannot capture a photo", reason: "the camera delivers H.264",
                    wayOut: "set an active format with raw frames or JPEG")
            }
        } catch {
            return fail(AVError(error), output)
        }
        let size = photo.format.video.map {
            CMVideoDimensions(width: Int32(clamping: $0.width), height: Int32(clamping: $0.height))
        }
        let resolved = AVCaptureResolvedPhotoSettings(
            uniqueID: settings.uniqueID, photoDimensions: size ?? CMVideoDimensions())
        let delegate = recipient.delegate
        delegate.photoOutput(output, willBeginCaptureFor: resolved)
        delegate.photoOutput(output, didCapturePhotoFor: resolved)
        let result = AVCapturePhoto(photo, isEncoded: isEncoded, settings: resolved)
        delegate.photoOutput(output, didFinishProcessingPhoto: result, error: nil)
        delegate.photoOutput(output, didFinishCaptureFor: resolved, error: nil)
    }

    /// Calls the delegate with the reason why there is no photo, on the output's queue.
    func fail(_ error: AVError, _ output: AVCapturePhotoOutput) {
        let resolved = AVCaptureResolvedPhotoSettings(
            uniqueID: settings.uniqueID, photoDimensions: CMVideoDimensions())
        let none = AVCapturePhoto(nil, isEncoded: false, settings: resolved)
        recipient.delegate.photoOutput(output, didFinishProcessingPhoto: none, error: error)
        recipient.delegate.photoOutput(output, didFinishCaptureFor: resolved, error: error)
    }
}

/// The form of a photo, from the dictionary of its settings. A plain value.
struct PhotoForm: Sendable, Equatable {
    /// True for a file in a codec, which is JPEG.
    let isEncoded: Bool
    let frames: FrameSettings

    /// - Throws: `invalidSettings` for another codec, and for an unsupported pixel format.
    init(_ format: [String: Any]?) throws(MediaError) {
        var words = format ?? [:]
        let codec = words.removeValue(forKey: AVVideoCodecKey)
        isEncoded = codec != nil || words.isEmpty
        if let codec {
            let name = (codec as? AVVideoCodecType)?.rawValue ?? codec as? String
            guard name == AVVideoCodecType.jpeg.rawValue else {
                throw MediaError(
                    .invalidSettings, "cannot capture a photo", reason: "it can only be JPEG",
                    wayOut: "use AVVideoCodecType.jpeg, or a pixel format")
            }
        }
        // Frames are always raw here: a camera's own JPEG may lack the tables that a file needs (ITU-T T.81, B.5).
        frames = try FrameSettings(words.isEmpty ? nil : words)
    }
}
