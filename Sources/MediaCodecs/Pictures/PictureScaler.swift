package import MediaTypes

/// Makes pictures larger or smaller with libyuv: the mean of what a pixel covers when it becomes smaller, the weighted mean
/// of its neighbours when it becomes larger. The format, the range and the colour stay.
///
/// Pictures whose samples are not in planes (`yuyv`, `uyvy`, `p010`) are scaled in the nearest format that has planes.
/// One thread at a time calls it. Memory comes from pools.
package final class PictureScaler {
    /// The longest side of a picture, before and after: libyuv counts places in sixteen bits and a fraction.
    package static let greatestLength = 32_767

    private let planes = PlaneScaler()
    private let formats = PixelConverter()

    package init() {}

    /// How many times memory was taken from the system: flat once the pipeline runs.
    package var allocationCount: Int { formats.allocationCount + planes.allocationCount }

    /// A picture in another size.
    ///
    /// - Parameter crop: the part of the picture to take; nil for all of it. A corner between two samples of chroma shifts colour
    ///   by a pixel at most.
    /// - Returns: the picture itself when nothing is to be done.
    /// - Throws: `invalidSettings` for a size that is zero, negative or past `greatestLength`, and for a crop that does not
    ///   lie inside the picture; `invalidSample` for rows too short for the picture.
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

    /// Scales a part of a picture into a place of another that is being drawn, of the same planar format.
    ///
    /// - Precondition: both rectangles lie inside their pictures.
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
                .invalidSettings, "cannot scale a picture to \(width)×\(height)",
                reason: "its sides are not in 1 to \(Self.greatestLength)")
        }
        guard source.layout.holdsWholePicture, lengths.contains(source.width), lengths.contains(source.height) else {
            throw MediaError(
                .invalidSample, "cannot scale a \(source.format.rawValue) picture",
                reason: "its planes are too small for \(source.width)×\(source.height), or it is too large")
        }
    }

    private func part(of source: PixelBuffer, _ crop: PixelRectangle?) throws(MediaError) -> PixelRectangle {
        guard let crop else { return PixelRectangle(source) }
        guard crop.isInside(width: source.width, height: source.height) else {
            throw MediaError(
                .invalidSettings, "cannot crop a picture of \(source.width)×\(source.height)",
                reason: "\(crop.width)×\(crop.height) at \(crop.x), \(crop.y) does not lie inside it")
        }
        return crop
    }
}

extension MutablePixelBuffer {
    /// Black as the picture's range has it (ITU-T H.273, 8.3), without transparency.
    ///
    /// - Precondition: the format is its own `planar`.
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
