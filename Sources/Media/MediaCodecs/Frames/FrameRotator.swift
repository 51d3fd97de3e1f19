import CYUV
package import MediaTypes

/// Rotates frames by quarter turns and mirrors them. Format and color tags stay the same.
///
/// Frames whose samples are not in planes are rotated in the nearest planar format. For a quarter turn, 4:2:2 is
/// rotated as 4:2:0, because the rotated chroma would not be 4:2:2. Called by one thread at a time. Memory comes from
/// pools.
package final class FrameRotator {
    private let formats = PixelConverter()

    package init() {}

    /// The number of allocations from the system. It stays constant once the pipeline runs.
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

    private func turnBytes(
        _ from: SampleRows<UInt8>, _ to: WritableSampleRows<UInt8>, _ orientation: FrameOrientation
    ) {
        move(from, to, orientation, copy: CopyPlane, mirror: MirrorPlane, transpose: cyuv_transpose_bytes)
    }

    private func turnWords(
        _ from: SampleRows<UInt16>, _ to: WritableSampleRows<UInt16>, _ orientation: FrameOrientation
    ) {
        move(from, to, orientation, copy: CopyPlane_16, mirror: cyuv_mirror_words, transpose: cyuv_transpose_words)
    }

    private func turnPairs(
        _ from: SampleRows<UInt8>, _ to: WritableSampleRows<UInt8>, _ orientation: FrameOrientation
    ) {
        move(
            from, to, orientation, copy: { CopyPlane($0, $1, $2, $3, $4 * 2, $5) }, mirror: MirrorUVPlane,
            transpose: cyuv_transpose_pairs)
    }

    private func turnPixels(
        _ source: SampleRows<UInt8>, _ to: WritableSampleRows<UInt8>, _ orientation: FrameOrientation
    ) {
        let from = orientation.isMirrored ? source.upsideDown : source
        let mode = [kRotate0, kRotate90, kRotate180, kRotate270][orientation.quarterTurnsOfReversedRows]
        ARGBRotate(from.start, from.stride, to.start, to.stride, from.columns, from.rows, mode)
    }

    /// Moves the samples of one plane. The arguments are start and stride of the source, start and stride of the
    /// result, and columns and rows of the source.
    private typealias Move<Sample> = (
        UnsafePointer<Sample>?, Int32, UnsafeMutablePointer<Sample>?, Int32, Int32, Int32
    ) -> Void

    /// Moves the samples of one plane according to the orientation. Transposing an upside-down source rotates the plane
    /// by a quarter turn clockwise. Transposing into an upside-down result rotates it counterclockwise.
    private func move<Sample>(
        _ source: SampleRows<Sample>, _ to: WritableSampleRows<Sample>, _ orientation: FrameOrientation,
        copy: Move<Sample>, mirror: Move<Sample>, transpose: Move<Sample>
    ) {
        let from = orientation.isMirrored ? source.upsideDown : source
        switch orientation.quarterTurnsOfReversedRows {
        case 1: apply(transpose, from.upsideDown, to)
        case 2: apply(mirror, from.upsideDown, to)
        case 3: apply(transpose, from, to.upsideDown)
        default: apply(copy, from, to)
        }
    }

    private func apply<Sample>(_ step: Move<Sample>, _ from: SampleRows<Sample>, _ to: WritableSampleRows<Sample>) {
        step(from.start, from.stride, to.start, to.stride, from.columns, from.rows)
    }
}

extension FrameOrientation {
    /// The quarter turns that remain after the rows of a mirrored frame were read in reverse order. A horizontal mirror
    /// equals a vertical flip plus half a turn.
    fileprivate var quarterTurnsOfReversedRows: Int { (quarterTurns + (isMirrored ? 2 : 0)) % 4 }
}

extension PixelBuffer {
    /// True if every row begins at a multiple of the size of a group of interleaved samples. This is needed because
    /// each group is moved as one value.
    fileprivate var hasWholePlaces: Bool {
        zip(layout.planes, format.planeShapes).allSatisfy { plane, shape in
            let bytes = shape.channels * (format.bitDepth > 8 ? 2 : 1)
            return plane.bytesPerRow % bytes == 0 && plane.offset % bytes == 0
        }
    }
}
