import AVFoundation
import CoreGraphics
import CoreText
import ImageIO

/// Makes a movie of images. Each image is fitted into the frame, grows slowly, and fades in over the image before it.
/// The first image can have a title.
///
/// The code is written as for an app, and contains nothing specific to Linux.
public final class SlideShow: @unchecked Sendable {
    // Unchecked: after `write` has returned, mutable state is used only on the queue.
    public enum Failure: Error {
        case unreadableImage(URL)
        case cannotEncode
        case cannotDraw
    }

    private let images: [CGImage]
    private let title: CTLine?
    private let width: Int
    private let height: Int
    private let framesPerImage: Int
    private let queue = DispatchQueue(label: "slide-show")
    private var nextFrame = 0
    private var failure: (any Error)?

    private static let framesPerSecond: Int32 = 30
    private static let framesOfFade = 10

    /// - Parameters:
    ///   - title: a text at the bottom of the first image.
    ///   - framesPerImage: how long an image is shown, at 30 frames per second.
    public init(images urls: [URL], title: String? = nil, width: Int, height: Int, framesPerImage: Int) throws {
        images = try urls.map { url in
            guard let source = CGImageSourceCreateWithURL(url as CFURL, nil),
                let image = CGImageSourceCreateImageAtIndex(source, 0, nil)
            else { throw Failure.unreadableImage(url) }
            return image
        }
        self.title = title.map { Self.line($0, size: CGFloat(height) / 12) }
        self.width = width
        self.height = height
        self.framesPerImage = max(1, framesPerImage)
    }

    /// - Parameter completion: a handler called once, on a private queue, with the error or nil.
    public func write(to url: URL, completion: @escaping @Sendable ((any Error)?) -> Void) throws {
        let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
        let input = AVAssetWriterInput(
            mediaType: .video,
            outputSettings: [
                AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: width, AVVideoHeightKey: height,
            ])
        let adaptor = AVAssetWriterInputPixelBufferAdaptor(
            assetWriterInput: input,
            sourcePixelBufferAttributes: [
                kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA,
                kCVPixelBufferWidthKey as String: width, kCVPixelBufferHeightKey as String: height,
            ])
        guard writer.canAdd(input) else { throw Failure.cannotEncode }
        writer.add(input)
        guard writer.startWriting() else { throw writer.error ?? Failure.cannotEncode }
        writer.startSession(atSourceTime: .zero)
        input.requestMediaDataWhenReady(on: queue) { [self] in
            while input.isReadyForMoreMediaData {
                guard nextFrame < images.count * framesPerImage, append(nextFrame, to: adaptor) else {
                    input.markAsFinished()
                    return finish(writer, completion)
                }
                nextFrame += 1
            }
        }
    }

    private func append(_ number: Int, to adaptor: AVAssetWriterInputPixelBufferAdaptor) -> Bool {
        guard let pool = adaptor.pixelBufferPool, let frame = draw(number, into: pool) else {
            failure = Failure.cannotDraw
            return false
        }
        let time = CMTime(value: CMTimeValue(number), timescale: Self.framesPerSecond)
        return adaptor.append(frame, withPresentationTime: time)
    }

    private func finish(_ writer: AVAssetWriter, _ completion: @escaping @Sendable ((any Error)?) -> Void) {
        if let failure {
            writer.cancelWriting()
            return completion(failure)
        }
        writer.finishWriting { completion(writer.error) }
    }

    private func draw(_ number: Int, into pool: CVPixelBufferPool) -> CVPixelBuffer? {
        var made: CVPixelBuffer?
        guard CVPixelBufferPoolCreatePixelBuffer(nil, pool, &made) == kCVReturnSuccess, let frame = made else {
            return nil
        }
        CVPixelBufferLockBaseAddress(frame, [])
        defer { CVPixelBufferUnlockBaseAddress(frame, []) }
        guard
            let context = CGContext(
                data: CVPixelBufferGetBaseAddress(frame), width: width, height: height, bitsPerComponent: 8,
                bytesPerRow: CVPixelBufferGetBytesPerRow(frame), space: CGColorSpaceCreateDeviceRGB(),
                bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
        else { return nil }
        // A frame from the pool still contains the pixels of an earlier frame.
        context.setFillColor(CGColor(red: 0, green: 0, blue: 0, alpha: 1))
        context.fill(CGRect(x: 0, y: 0, width: width, height: height))
        context.interpolationQuality = .high
        let (image, step) = (number / framesPerImage, number % framesPerImage)
        if image > 0, step < Self.framesOfFade {
            draw(images[image - 1], atStep: framesPerImage, in: context, opacity: 1)
        }
        let opacity = min(1, CGFloat(step + 1) / CGFloat(Self.framesOfFade))
        draw(images[image], atStep: step, in: context, opacity: opacity)
        if image == 0, let title { draw(title, in: context, opacity: opacity) }
        return frame
    }

    private static func line(_ text: String, size: CGFloat) -> CTLine {
        CTLineCreateWithAttributedString(
            NSAttributedString(
                string: text,
                attributes: [
                    NSAttributedString.Key(kCTFontAttributeName as String): CTFontCreateWithName(
                        "Helvetica-Bold" as CFString, size, nil),
                    NSAttributedString.Key(kCTForegroundColorAttributeName as String): CGColor(
                        red: 1, green: 1, blue: 1, alpha: 1),
                ]))
    }

    /// Draws a line of text, centered, one line height above the bottom. A bar behind the text keeps it readable.
    private func draw(_ line: CTLine, in context: CGContext, opacity: CGFloat) {
        let size = CTLineGetBoundsWithOptions(line, []).size
        context.saveGState()
        context.setAlpha(opacity)
        context.setFillColor(CGColor(red: 0, green: 0, blue: 0, alpha: 0.5))
        context.fill(CGRect(x: 0, y: size.height * 0.5, width: CGFloat(width), height: size.height * 1.5))
        context.textPosition = CGPoint(x: (CGFloat(width) - size.width) / 2, y: size.height)
        CTLineDraw(line, context)
        context.restoreGState()
    }

    /// Draws an image as large as the frame allows, and up to a tenth larger as time passes.
    private func draw(_ image: CGImage, atStep step: Int, in context: CGContext, opacity: CGFloat) {
        let zoom = 1 + 0.1 * CGFloat(step) / CGFloat(framesPerImage)
        let bounds = CGRect(x: 0, y: 0, width: width, height: height)
        let size = CGSize(width: image.width, height: image.height)
        context.saveGState()
        context.setAlpha(opacity)
        context.translateBy(x: bounds.midX, y: bounds.midY)
        context.scaleBy(x: zoom, y: zoom)
        context.translateBy(x: -bounds.midX, y: -bounds.midY)
        context.draw(image, in: AVMakeRect(aspectRatio: size, insideRect: bounds))
        context.restoreGState()
    }
}
