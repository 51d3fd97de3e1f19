import AVFoundation
import MediaCodecs
import MediaTypes

/// A request for a photo, with the delegate that gets the photo. Called on the output's queue.
struct PhotoRequest: Sendable {
    struct Recipient: @unchecked Sendable {
        // Unchecked: called on the output's queue only.
        let delegate: any AVCapturePhotoCaptureDelegate
    }

    let settings: AVCapturePhotoSettings
    let recipient: Recipient
    /// The orientation of the connection when the photo was requested.
    let orientation: FrameOrientation

    /// Prepares the photo and calls the delegate. If there is no frame, the delegate gets the reason.
    func finish(_ frame: Result<SampleBuffer, AVError>, _ output: AVCapturePhotoOutput) {
        switch frame {
        case .success(let frame): finish(frame, output)
        case .failure(let error): fail(error, output)
        }
    }

    private func finish(_ frame: SampleBuffer, _ output: AVCapturePhotoOutput) {
        let photo: SampleBuffer
        let form: PhotoForm
        do throws(MediaError) {
            guard output.supportedFlashModes.contains(settings.flashMode) else {
                throw MediaError(
                    .invalidSettings, "cannot capture a photo", reason: "V4L2 has no flash",
                    wayOut: "set flashMode to .off")
            }
            form = try PhotoForm(settings.format)
            photo = try form.prepare(frame, orientation)
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
        let result = AVCapturePhoto(photo, form: form, settings: resolved)
        delegate.photoOutput(output, didFinishProcessingPhoto: result, error: nil)
        delegate.photoOutput(output, didFinishCaptureFor: resolved, error: nil)
    }

    private func fail(_ error: AVError, _ output: AVCapturePhotoOutput) {
        let resolved = AVCaptureResolvedPhotoSettings(
            uniqueID: settings.uniqueID, photoDimensions: CMVideoDimensions())
        let none = AVCapturePhoto(nil, form: nil, settings: resolved)
        recipient.delegate.photoOutput(output, didFinishProcessingPhoto: none, error: error)
        recipient.delegate.photoOutput(output, didFinishCaptureFor: resolved, error: error)
    }
}
