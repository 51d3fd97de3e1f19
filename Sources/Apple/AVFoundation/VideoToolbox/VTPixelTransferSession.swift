import Dispatch
import Foundation
import MediaCodecs
import MediaTypes

/// Copies an image into a pixel buffer of a different size, pixel format or color. Safe to call from any thread.
public final class VTPixelTransferSession: @unchecked Sendable {
    // Unchecked: mutable state is used only on the serial queue `work`.
    private let work = DispatchQueue(label: "recorder.VideoToolbox.transfer")
    private let converter = PixelConverter()
    private let scaler = FrameScaler()
    /// The fitter that the latest image used. It is kept, because the next image can use it again if its target is the
    /// same.
    private var latest: (fitter: FrameFitter, target: Target)?
    private var mode = kVTScalingMode_Normal
    private var isInvalid = false

    /// The parameters of a fitter.
    private struct Target: Hashable {
        let width: Int
        let height: Int
        let color: ColorDescription
        let bitDepth: Int
        let mode: String
    }

    private static let modes: [String: VideoSettings.ScalingMode] = [
        kVTScalingMode_Normal: .resize, kVTScalingMode_CropSourceToCleanAperture: .resize,
        kVTScalingMode_Letterbox: .resizeAspect, kVTScalingMode_Trim: .resizeAspectFill,
    ]

    func transfer(from source: CVPixelBuffer, to destination: CVPixelBuffer) -> OSStatus {
        work.sync {
            guard !isInvalid else { return kVTInvalidSessionErr }
            guard source !== destination else { return kVTParameterErr }
            do throws(MediaError) {
                let color = Self.color(source, destination)
                destination.copy(try converted(source, for: destination.layout, color))
                for (key, word) in ColorNames.attachments(of: color) {
                    destination.set(word, .shouldPropagate, for: key)
                }
                return noErr
            } catch { return error.code == .invalidSample ? kVTParameterErr : kVTPixelTransferNotSupportedErr }
        }
    }

    func invalidate() { work.sync { isInvalid = true } }

    /// Returns the color of the destination: its own color tags, or the source's tags if it has none.
    ///
    /// The destination always determines whether values have full range.
    private static func color(_ source: CVPixelBuffer, _ destination: CVPixelBuffer) -> ColorDescription {
        var color = destination.color
        guard !color.isSpecified else { return color }
        let other = meaning(source)
        (color.primaries, color.transfer) = (other.primaries, other.transfer)
        if !destination.layout.format.isRGB { color.matrix = other.matrix }
        return color
    }

    /// Returns the source's color tags for luma and chroma. If the matrix is unspecified, it is BT.709 for 720 or more
    /// rows, and otherwise BT.601, as in players.
    private static func meaning(_ source: CVPixelBuffer) -> ColorDescription {
        if source.layout.format.isRGB { return source.color.ofConvertedRGB }
        var color = source.color
        if color.matrix == 2 { color.matrix = source.layout.height >= 720 ? 1 : 6 }
        return color
    }

    /// Returns the clean aperture of a pixel buffer; nil if it is the entire image.
    private static func aperture(_ source: CVPixelBuffer) -> CleanAperture? {
        let (rect, size) = (CVImageBufferGetCleanRect(source), CVImageBufferGetEncodedSize(source))
        guard rect.size != size, rect.width >= 1, rect.height >= 1 else { return nil }
        func offset(_ middle: CGFloat, _ length: CGFloat) -> Int32 {
            Int32(clamping: Int(clamping: Double(middle - length / 2).rounded()))
        }
        return CleanAperture(
            width: Int32(clamping: Int(clamping: Double(rect.width))),
            height: Int32(clamping: Int(clamping: Double(rect.height))),
            horizontalOffset: offset(rect.midX, size.width), verticalOffset: offset(rect.midY, size.height))
    }

    private func converted(
        _ source: CVPixelBuffer, for layout: PixelLayout, _ color: ColorDescription
    ) throws(MediaError) -> PixelBuffer {
        let pixels = source.pixels
        let isRGB = pixels.format.isRGB
        // The size determines an unspecified matrix, so the matrix is determined before the size changes.
        let meant = PixelBuffer(
            layout: pixels.layout, color: isRGB ? pixels.color : Self.meaning(source), data: pixels.data)
        // RGB that stays RGB is not converted to luma and chroma, so it keeps its alpha.
        if layout.format.isRGB || layout.format == .gray8, mode == kVTScalingMode_Normal {
            let scaled = try scaler.scale(meant, width: layout.width, height: layout.height)
            return try converter.convert(scaled, to: layout.format)
        }
        let target = Target(
            width: layout.width, height: layout.height, color: color, bitDepth: layout.format.bitDepth, mode: mode)
        let cropped = mode == kVTScalingMode_CropSourceToCleanAperture ? Self.aperture(source) : nil
        let fitted = try fitter(target).fit(meant, cleanAperture: cropped)
        let isLimited = !color.isFullRange && !layout.format.isRGB
        return try converter.convert(fitted, to: layout.format, range: isLimited ? .limited : .kept)
    }

    private func fitter(_ target: Target) -> FrameFitter {
        if let latest, latest.target == target { return latest.fitter }
        let fresh = FrameFitter(
            FrameGeometry(width: target.width, height: target.height), mode: Self.modes[target.mode] ?? .resize,
            color: target.color, bitDepth: target.bitDepth)
        latest = (fresh, target)
        return fresh
    }
}

extension VTPixelTransferSession: PropertySession {
    func setProperty(_ key: String, _ value: Any?) -> OSStatus {
        guard key == kVTPixelTransferPropertyKey_ScalingMode else { return kVTPropertyNotSupportedErr }
        let name = value.map { settingsString($0) ?? "" } ?? kVTScalingMode_Normal
        guard Self.modes[name] != nil else { return kVTParameterErr }
        return work.sync {
            guard !isInvalid else { return kVTInvalidSessionErr }
            mode = name
            return noErr
        }
    }

    func property(_ key: String) -> (value: Any?, status: OSStatus) {
        guard key == kVTPixelTransferPropertyKey_ScalingMode else { return (nil, kVTPropertyNotSupportedErr) }
        return work.sync {
            guard !isInvalid else { return (nil, kVTInvalidSessionErr) }
            return (mode, noErr)
        }
    }

    var supportedProperties: [String: PropertyAccess] { [kVTPixelTransferPropertyKey_ScalingMode: .readWrite] }
}

extension CVPixelBuffer {
    /// Copies the rows of an image that has the same size and pixel format.
    fileprivate func copy(_ image: PixelBuffer) {
        let needed = PixelLayout(format: layout.format, width: layout.width, height: layout.height).planes
        for (index, plane) in needed.enumerated() {
            let start = image.plane(index).baseAddress
            guard let target = baseAddress(ofPlane: index), let source = start else { continue }
            for row in 0..<plane.rows {
                (target + row * layout.planes[index].bytesPerRow).copyMemory(
                    from: source + row * image.layout.planes[index].bytesPerRow, byteCount: plane.bytesPerRow)
            }
        }
    }
}

/// Creates a session that copies images between pixel buffers.
@discardableResult
public func VTPixelTransferSessionCreate(
    allocator: CFAllocator?, pixelTransferSessionOut: UnsafeMutablePointer<VTPixelTransferSession?>
) -> OSStatus {
    pixelTransferSessionOut.pointee = VTPixelTransferSession()
    return noErr
}

/// Copies an image into another pixel buffer. The image is scaled to the destination's size, and converted to its pixel
/// format and range.
///
/// If the destination has color tags, the values are converted to them. Otherwise the destination gets the source's
/// color tags.
///
/// - Returns: `kVTPixelTransferNotSupportedErr` for an unsupported conversion, `kVTParameterErr` if both pixel buffers
///   are the same.
@discardableResult
public func VTPixelTransferSessionTransferImage(
    _ session: VTPixelTransferSession, from sourceBuffer: CVPixelBuffer, to destinationBuffer: CVPixelBuffer
) -> OSStatus {
    session.transfer(from: sourceBuffer, to: destinationBuffer)
}

/// Ends the session.
public func VTPixelTransferSessionInvalidate(_ session: VTPixelTransferSession) { session.invalidate() }
