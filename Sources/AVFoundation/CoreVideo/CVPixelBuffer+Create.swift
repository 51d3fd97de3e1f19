public import Foundation
import MediaTypes

/// A picture of zeros.
@discardableResult
public func CVPixelBufferCreate(
    _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
    _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
    guard let format = PixelFormat(pixelFormatType) else { return kCVReturnInvalidPixelFormat }
    guard CVPixelBuffer.sizes.contains(width), CVPixelBuffer.sizes.contains(height) else { return kCVReturnInvalidSize }
    let attributes = pixelBufferAttributes as? [String: Any] ?? [:]
    let layout = PixelLayout(
        format: format, width: width, height: height, alignment: CVPixelBuffer.rowAlignment(attributes))
    let data = MediaData(byteCount: layout.byteCount) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
    var all = attributes
    all["PixelFormatType"] = NSNumber(value: pixelFormatType)
    all["Width"] = NSNumber(value: width)
    all["Height"] = NSNumber(value: height)
    pixelBufferOut.pointee = CVPixelBuffer(
        PixelBuffer(layout: layout, color: .undescribed(pixelFormatType, format), data: data),
        creationAttributes: all)
    return kCVReturnSuccess
}

public typealias CVPixelBufferReleaseBytesCallback =
    @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ bytes: UnsafeRawPointer?
    ) -> Void

/// A picture in memory of the caller's, which is given back once nobody uses the picture any more.
@discardableResult
public func CVPixelBufferCreateWithBytes(
    _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
    _ baseAddress: UnsafeMutableRawPointer, _ bytesPerRow: Int,
    _ releaseCallback: CVPixelBufferReleaseBytesCallback?, _ releaseRefCon: UnsafeMutableRawPointer?,
    _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
    guard let format = PixelFormat(pixelFormatType) else { return kCVReturnInvalidPixelFormat }
    guard CVPixelBuffer.sizes.contains(width), CVPixelBuffer.sizes.contains(height) else { return kCVReturnInvalidSize }
    let least = PixelLayout(format: format, width: width, height: height)
    guard least.planes.count == 1, bytesPerRow >= least.planes[0].bytesPerRow,
        !bytesPerRow.multipliedReportingOverflow(by: height).overflow
    else { return kCVReturnInvalidArgument }
    let layout = PixelLayout(format: format, width: width, height: height, bytesPerRow: bytesPerRow)
    let lent = LentBytes(start: baseAddress, context: releaseRefCon, release: releaseCallback)
    let data = MediaData(
        borrowing: UnsafeRawBufferPointer(start: baseAddress, count: layout.byteCount), keeping: lent)
    pixelBufferOut.pointee = CVPixelBuffer(
        PixelBuffer(layout: layout, color: .undescribed(pixelFormatType, format), data: data),
        creationAttributes: pixelBufferAttributes as? [String: Any] ?? [:])
    return kCVReturnSuccess
}

/// Gives lent memory back when nobody needs it any more, on whichever thread that is.
private final class LentBytes: @unchecked Sendable {
    // Unchecked: constant.
    private let start: UnsafeRawPointer
    private let context: UnsafeMutableRawPointer?
    private let release: CVPixelBufferReleaseBytesCallback?

    init(start: UnsafeRawPointer, context: UnsafeMutableRawPointer?, release: CVPixelBufferReleaseBytesCallback?) {
        self.start = start
        self.context = context
        self.release = release
    }

    deinit { release?(context, start) }
}

extension CVPixelBuffer {
    /// Sides that a picture can have.
    static let sizes = 1...32_768

    /// Rows begin at multiples of 64 bytes, or of what was asked for where that is more.
    static func rowAlignment(_ attributes: [String: Any]) -> Int {
        guard let asked = (attributes["BytesPerRowAlignment"] as? NSNumber)?.intValue, asked > 0, asked <= 65_536 else {
            return 64
        }
        return asked % 64 == 0 ? asked : 64 % asked == 0 ? 64 : asked
    }
}

extension ColorDescription {
    /// Of a picture about whose colours nobody has said anything but its format's code.
    static func undescribed(_ code: OSType, _ format: PixelFormat) -> ColorDescription {
        format.isRGB
            ? ColorDescription(matrix: 0, isFullRange: true)
            : ColorDescription(isFullRange: PixelFormat.isFullRange(code) ?? false)
    }
}
