public import AVFoundation
public import Foundation
import MediaCodecs
import MediaTypes

/// One captured photo; without an image if the capture failed. Immutable.
open class AVCapturePhoto: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    private let frame: SampleBuffer?
    private let isEncoded: Bool
    public let resolvedSettings: AVCaptureResolvedPhotoSettings

    init(_ frame: SampleBuffer?, isEncoded: Bool, settings: AVCaptureResolvedPhotoSettings) {
        self.frame = frame
        self.isEncoded = isEncoded
        resolvedSettings = settings
        super.init()
    }

    /// When the kernel captured the frame, on the host clock; invalid without a frame.
    open var timestamp: CMTime { frame.map { CMTime($0.presentationTime) } ?? .invalid }
    /// Always 1.
    open var photoCount: Int { 1 }
    /// Always false.
    open var isRawPhoto: Bool { false }

    /// The frame; nil if the settings asked for a codec.
    open var pixelBuffer: CVPixelBuffer? { isEncoded ? nil : frame.flatMap { CMSampleBuffer($0).imageBuffer } }

    /// Returns the photo as a JPEG file; nil if the settings asked for a pixel format, or if it cannot be encoded.
    open func fileDataRepresentation() -> Data? {
        guard isEncoded, case .pixels(let pixels) = frame?.content,
            let jpeg = try? StillImageEncoder().encode(pixels, as: .jpeg)
        else { return nil }
        return Data(jpeg.bytes)
    }
}
