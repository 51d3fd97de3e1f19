public import Foundation
import MediaTypes
import RealTime

/// Appends frames with their times to an input, and provides the memory for them.
open class AVAssetWriterInputPixelBufferAdaptor: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    public let assetWriterInput: AVAssetWriterInput
    public let sourcePixelBufferAttributes: [String: Any]?
    private let pool = Locked<CVPixelBufferPool?>(nil)

    /// Creates an adaptor for a video input. An input of another media type becomes invalid: it can no longer be added,
    /// and a writer that already has it fails. The same applies if the attributes are invalid or not supported, because
    /// the pool's frames would not be as requested.
    ///
    /// - Parameter sourcePixelBufferAttributes: the attributes of the pool's frames; nil for no pool. Without a size in
    ///   the attributes, the frames have the input's size.
    public init(assetWriterInput input: AVAssetWriterInput, sourcePixelBufferAttributes: [String: Any]? = nil) {
        assetWriterInput = input
        self.sourcePixelBufferAttributes = sourcePixelBufferAttributes
        super.init()
        guard input.mediaType == .video else {
            input.refuse(
                MediaError(
                    .invalidSettings, "cannot create a pixel buffer adaptor",
                    reason: "the input is for \(input.mediaType.rawValue), not video",
                    wayOut: "append sample buffers to it"))
            return
        }
        guard let attributes = sourcePixelBufferAttributes else { return }
        do throws(SettingsFaults) {
            let code = try PixelAttributes(attributes).code
            input.whenStarted { [weak self] in self?.makePool(code) }
        } catch {
            input.refuse(
                MediaError(.invalidSettings, "cannot create a pixel buffer adaptor", reason: error.description))
        }
    }

    /// Creates the pool.
    ///
    /// - Parameter code: the requested pixel format; nil for the encoders' own.
    private func makePool(_ code: OSType?) {
        var all = sourcePixelBufferAttributes ?? [:]
        let size = assetWriterInput.inputSize
        if all[kCVPixelBufferWidthKey] == nil { all[kCVPixelBufferWidthKey] = NSNumber(value: size.width) }
        if all[kCVPixelBufferHeightKey] == nil { all[kCVPixelBufferHeightKey] = NSNumber(value: size.height) }
        all[kCVPixelBufferPixelFormatTypeKey] = NSNumber(
            value: code ?? kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
        var pool: CVPixelBufferPool?
        CVPixelBufferPoolCreate(nil, nil, all as NSDictionary, &pool)
        self.pool.withLock { $0 = pool }
    }

    /// The pool; nil before writing has started, and for invalid attributes.
    open var pixelBufferPool: CVPixelBufferPool? { pool.withLock { $0 } }

    /// Appends a frame. It may be from the pool or not, and is converted to the size and format of the settings.
    ///
    /// The frame must not be changed afterwards.
    @discardableResult
    open func append(_ pixelBuffer: CVPixelBuffer, withPresentationTime presentationTime: CMTime) -> Bool {
        assetWriterInput.append(pixelBuffer.pixels, at: presentationTime)
    }
}
