package import MediaTypes

/// Scales frames with libyuv. In a smaller result, each pixel is the mean of the pixels that it covers. In a larger
/// result, each pixel is the weighted mean of neighboring pixels. Format, range and color tags stay the same.
///
/// Frames whose samples are not in planes (`yuyv`, `uyvy`, `p010`) are scaled in the nearest planar format. Called by
/// one thread at a time. Memory comes from pools.
package final class FrameScaler {
    /// The maximum width and height of a frame, before and after scaling. libyuv's positions have sixteen bits and a
    /// fraction.
    package static let greatestLength = 32_767

    private let planes = PlaneScaler()
    private let formats = PixelConverter()

    package init() {}

    /// The number of allocations from the system. It stays constant once the pipeline runs.
    package var allocationCount: Int { formats.allocationCount + planes.allocationCount }

    /// Scales a frame to a different size.
    ///
    /// - Parameter crop: the part of the frame to use; nil for the entire frame. If its corner is inside a chroma
    ///   sample, color is shifted by at most one pixel.
    /// - Returns: the same frame if nothing changes.
    /// - Throws: `invalidSettings` for a size that is zero, negative or above `greatestLength`, and for a crop that is
    ///   not inside the frame; `invalidSample` for rows too short for the frame.
    package func scale(
        _ source: PixelBuffer, width: Int, height: Int, crop: PixelRectangle? = nil
    ) throws(MediaError) -> PixelBuffer {
        try check(source, width, height)
        let part = try part(of: source, crop)
        if part == PixelRectangle(source), width == source.width, height == source.height { return source }
        let planar = try formats.convert(source, to: source.format.planar)
        let target = formats.target(planar.format, width: width, height: height, color: planar.color)
        draw(planar, part, into: target, PixelRectangle(width: width, height: height))
        return try formats.convert(target.finish(), to: source.format)
    }

    /// Scales a part of a frame into an area of another frame that is being written. Both frames have the same planar
    /// format.
    ///
    /// - Precondition: both rectangles are inside their frames.
    func draw(
        _ source: PixelBuffer, _ part: PixelRectangle, into target: borrowing MutablePixelBuffer,
        _ place: PixelRectangle
    ) {
        for (index, shape) in source.format.planeShapes.enumerated() {
            if source.format.bitDepth > 8 {
                guard let from = SampleRows<UInt16>(source, plane: index, part),
                    let to = WritableSampleRows<UInt16>(target, plane: index, place)
                else { continue }
                planes.scale(from, to: to)
            } else {
                guard let from = SampleRows<UInt8>(source, plane: index, part),
                    let to = WritableSampleRows<UInt8>(target, plane: index, place)
                else { continue }
                planes.scale(from, to: to, channels: shape.channels)
            }
        }
    }

    private func check(_ source: PixelBuffer, _ width: Int, _ height: Int) throws(MediaError) {
        let lengths = 1...Self.greatestLength
        guard lengths.contains(width), lengths.contains(height) else {
            throw MediaError(
                .invalidSettings, "cannot scale a frame to \(width)×\(height)",
                reason: "each side must be 1 to \(Self.greatestLength)")
        }
        guard source.layout.holdsWholeFrame, lengths.contains(source.width), lengths.contains(source.height) else {
            throw MediaError(
                .invalidSample, "cannot scale a \(source.format.rawValue) frame",
                reason: "its planes are too small for \(source.width)×\(source.height), or it is too large")
        }
    }

    private func part(of source: PixelBuffer, _ crop: PixelRectangle?) throws(MediaError) -> PixelRectangle {
        guard let crop else { return PixelRectangle(source) }
        guard crop.isInside(width: source.width, height: source.height) else {
            throw MediaError(
                .invalidSettings, "cannot crop a frame of \(source.width)×\(source.height)",
                reason: "\(crop.width)×\(crop.height) at \(crop.x), \(crop.y) extends beyond it")
        }
        return crop
    }
}

extension MutablePixelBuffer {
    /// Fills the frame with opaque black, according to the frame's range (ITU-T H.273, 8.3).
    ///
    /// - Precondition: the format is planar, or `bgra` (`PixelFormat.planar` is the format itself).
    func fillWithBlack() {
        let whole = PixelRectangle(width: layout.width, height: layout.height)
        let black = color.isFullRange ? 0 : 16
        for (index, shape) in layout.format.planeShapes.enumerated() {
            if layout.format.bitDepth > 8 {
                WritableSampleRows<UInt16>(self, plane: index, whole)?.fill([UInt16(index == 0 ? black * 4 : 512)])
            } else if layout.format == .bgra {
                WritableSampleRows<UInt8>(self, plane: index, whole)?.fill([0, 0, 0, 255])
            } else {
                let value = UInt8(index == 0 ? black : 128)
                WritableSampleRows<UInt8>(self, plane: index, whole)?.fill(
                    [UInt8](repeating: value, count: shape.channels))
            }
        }
    }
}
