public import AVFoundation
public import Foundation
import MediaTypes

/// One captured photo. It has no image if the capture failed. Immutable.
open class AVCapturePhoto: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    private let frame: SampleBuffer?
    private let form: PhotoForm?
    public let resolvedSettings: AVCaptureResolvedPhotoSettings

    init(_ frame: SampleBuffer?, form: PhotoForm?, settings: AVCaptureResolvedPhotoSettings) {
        self.frame = frame
        self.form = form
        resolvedSettings = settings
        super.init()
    }

    /// The time at which the kernel captured the frame, on the host clock; invalid without a frame.
    open var timestamp: CMTime { frame.map { CMTime($0.presentationTime) } ?? .invalid }
    /// Always 1.
    open var photoCount: Int { 1 }
    /// Always false.
    open var isRawPhoto: Bool { false }

    /// The frame; nil if the settings asked for a codec.
    open var pixelBuffer: CVPixelBuffer? {
        form?.jpegQuality == nil ? frame.flatMap { CMSampleBuffer($0).imageBuffer } : nil
    }

    /// Returns the photo as a JPEG file; nil if the settings asked for a pixel format, or if it cannot be encoded.
    open func fileDataRepresentation() -> Data? {
        guard let frame, let file = try? form?.file(of: frame) else { return nil }
        return Data(file.bytes)
    }
}
