import CYUV
package import MediaTypes

/// Rotates frames by quarter turns and mirrors them with libyuv. Format and color tags stay the same.
///
/// Frames whose samples are not in planes are rotated in the nearest planar format. 4:2:2 becomes 4:2:0, because a
/// frame that is rotated by a quarter turn cannot have the chroma of 4:2:2. Called by one thread at a time. Memory
/// comes from pools.
package final class FrameRotator {
    private let formats = PixelConverter()

    package init() {}

    /// The number of allocations from the system: constant once the pipeline runs.
    package var allocationCount: Int { formats.allocationCount }

    /// - Returns: the same frame if its orientation does not change.
    /// - Throws: `invalidSample` for rows too short for the frame.
    package func turn(_ source: PixelBuffer, _ orientation: FrameOrientation) throws(MediaError) -> PixelBuffer {
        if orientation == .upright { return source }
        guard source.layout.holdsWholeFrame else {
            throw MediaError(
                .invalidSample, "cannot rotate a \(source.format.rawValue) frame",
                reason: "its planes are too small for \(source.width)×\(source.height)")
        }
        let planarFormat = source.format.planar
        let isHalfChroma = (planarFormat == .i422 || planarFormat == .i210) && orientation.swapsSides
        let quarter: PixelFormat = planarFormat == .i210 ? .i010 : .i420
        let converted = try formats.convert(source, to: isHalfChroma ? quarter : planarFormat)
        let planar = converted.hasWholePlaces ? converted : formats.copy(converted)
        let (width, height) =
            orientation.swapsSides ? (planar.height, planar.width) : (planar.width, planar.height)
        let target = formats.target(planar.format, width: width, height: height, color: planar.color)
        turn(planar, into: target, orientation)
        return try formats.convert(target.finish(), to: source.format)
    }

    private func turn(
        _ source: PixelBuffer, into target: borrowing MutablePixelBuffer, _ orientation: FrameOrientation
    ) {
        let whole = PixelRectangle(source)
        let turned = PixelRectangle(width: target.layout.width, height: target.layout.height)
        for (index, shape) in source.format.planeShapes.enumerated() {
            // A pair of chroma samples is moved as one 16-bit value.
            if source.format.bitDepth > 8 {
                guard let from = SampleRows<UInt16>(source, plane: index, whole),
                    let to = WritableSampleRows<UInt16>(target, plane: index, turned)
                else { continue }
                turnWords(from, to, orientation)
            } else {
                guard let from = SampleRows<UInt8>(source, plane: index, whole),
                    let to = WritableSampleRows<UInt8>(target, plane: index, turned)
                else { continue }
                switch shape.channels {
                case 1: turnBytes(from, to, orientation)
                case 2: turnPairs(from, to, orientation)
                default: turnPixels(from, to, orientation)
                }
            }
        }
    }

    /// Reverses the rows for a mirrored frame. Mirroring horizontally equals a vertical flip plus half a turn, so the
    /// rotation is increased by half a turn.
    private func rows<Sample>(_ from: SampleRows<Sample>, _ orientation: FrameOrientation) -> SampleRows<Sample> {
        orientation.isMirrored ? from.upsideDown : from
    }

    private func mode(_ orientation: FrameOrientation) -> RotationMode {
        let turns = (orientation.quarterTurns + (orientation.isMirrored ? 2 : 0)) % 4
        return [kRotate0, kRotate90, kRotate180, kRotate270][turns]
    }

    private func turnBytes(
        _ source: SampleRows<UInt8>, _ to: WritableSampleRows<UInt8>, _ orientation: FrameOrientation
    ) {
        let from = rows(source, orientation)
        RotatePlane(from.start, from.stride, to.start, to.stride, from.columns, from.rows, mode(orientation))
    }

    private func turnWords(
        _ source: SampleRows<UInt16>, _ to: WritableSampleRows<UInt16>, _ orientation: FrameOrientation
    ) {
        let from = rows(source, orientation)
        RotatePlane_16(from.start, from.stride, to.start, to.stride, from.columns, from.rows, mode(orientation))
    }

    private func turnPairs(
        _ source: SampleRows<UInt8>, _ to: WritableSampleRows<UInt8>, _ orientation: FrameOrientation
    ) {
        let from = rows(source, orientation)
        cyuv_rotate_pairs(
            from.start, from.stride, to.start, to.stride, from.columns, from.rows, Int32(mode(orientation).rawValue))
    }

    private func turnPixels(
        _ source: SampleRows<UInt8>, _ to: WritableSampleRows<UInt8>, _ orientation: FrameOrientation
    ) {
        let from = rows(source, orientation)
        ARGBRotate(from.start, from.stride, to.start, to.stride, from.columns, from.rows, mode(orientation))
    }
}

extension PixelBuffer {
    /// True if rows contain only complete groups of interleaved samples. libyuv moves each group as one value.
    fileprivate var hasWholePlaces: Bool {
        zip(layout.planes, format.planeShapes).allSatisfy { plane, shape in
            let bytes = shape.channels * (format.bitDepth > 8 ? 2 : 1)
            return plane.bytesPerRow % bytes == 0 && plane.offset % bytes == 0
        }
    }
}
