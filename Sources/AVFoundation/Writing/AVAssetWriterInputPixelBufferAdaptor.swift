public import Foundation
import MediaTypes
import RealTime

/// Feeds an input with pictures and their times, and lends the memory for them.
open class AVAssetWriterInputPixelBufferAdaptor: NSObject, @unchecked Sendable {
    // Unchecked: what changes is behind the lock.
    public let assetWriterInput: AVAssetWriterInput
    public let sourcePixelBufferAttributes: [String: Any]?
    private let pool = Locked<CVPixelBufferPool?>(nil)

    /// An input of another kind than video cannot be added any more, and fails the writer that it was added to.
    ///
    /// - Parameter sourcePixelBufferAttributes: of the pool's pictures; a size that is not said is the input's. nil: no pool.
    public init(assetWriterInput input: AVAssetWriterInput, sourcePixelBufferAttributes: [String: Any]? = nil) {
        assetWriterInput = input
        self.sourcePixelBufferAttributes = sourcePixelBufferAttributes
        super.init()
        guard input.mediaType == .video else {
            input.refuse(
                MediaError(
                    .invalidSettings, "cannot make a pixel buffer adaptor",
                    reason: "the input is for \(input.mediaType.rawValue), not video",
                    wayOut: "append sample buffers to it"))
            return
        }
        guard sourcePixelBufferAttributes != nil else { return }
        input.whenStarted { [weak self] in self?.makePool() }
    }

    private func makePool() {
        let (attributes, input) = (sourcePixelBufferAttributes ?? [:], assetWriterInput)
        var all = attributes
        let size = input.pictureSize
        if all[kCVPixelBufferWidthKey] == nil { all[kCVPixelBufferWidthKey] = NSNumber(value: size.width) }
        if all[kCVPixelBufferHeightKey] == nil { all[kCVPixelBufferHeightKey] = NSNumber(value: size.height) }
        all[kCVPixelBufferPixelFormatTypeKey] = NSNumber(
            value: (try? PixelAttributes(attributes))?.code ?? kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
        var pool: CVPixelBufferPool?
        CVPixelBufferPoolCreate(nil, nil, all as NSDictionary, &pool)
        self.pool.withLock { $0 = pool }
    }

    /// nil until writing has started, and for attributes that no picture can have.
    open var pixelBufferPool: CVPixelBufferPool? { pool.withLock { $0 } }

    /// Appends a picture, from the pool or not, of any size and format: it is brought to that of the settings.
    ///
    /// Nobody may draw into the picture after that.
    @discardableResult
    open func append(_ pixelBuffer: CVPixelBuffer, withPresentationTime presentationTime: CMTime) -> Bool {
        assetWriterInput.append(pixelBuffer.pixels, at: presentationTime)
    }
}
