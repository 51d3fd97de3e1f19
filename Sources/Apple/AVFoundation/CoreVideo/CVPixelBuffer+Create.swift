public import Foundation
import MediaTypes

/// Creates a zeroed pixel buffer.
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

/// Creates a pixel buffer in the caller's memory, which is released after the buffer's last use.
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

/// Releases the caller's memory after its last use, on any thread.
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
    /// The valid widths and heights of a frame.
    static let sizes = 1...32_768

    /// Returns the row alignment: 64 bytes, or the requested alignment if it is larger.
    static func rowAlignment(_ attributes: [String: Any]) -> Int {
        guard let asked = (attributes["BytesPerRowAlignment"] as? NSNumber)?.intValue, asked > 0, asked <= 65_536 else {
            return 64
        }
        return asked % 64 == 0 ? asked : 64 % asked == 0 ? 64 : asked
    }
}

extension ColorDescription {
    /// Returns the color of a frame without color tags, according to its format code.
    static func undescribed(_ code: OSType, _ format: PixelFormat) -> ColorDescription {
        format.isRGB
            ? ColorDescription(matrix: 0, isFullRange: true)
            : ColorDescription(isFullRange: PixelFormat.isFullRange(code) ?? false)
    }
}
