import CYUV
package import MediaTypes

/// Draws a stamp on frames: light letters with a dark outline in one corner, on 4:2:0 of eight bits.
///
/// All outlines are drawn before all letters, so that no outline covers a letter. Chroma samples that share a pixel
/// with the stamp become neutral. If a text is too wide for the frame, the font becomes smaller, and stays smaller.
package final class StampPainter: @unchecked Sendable {
    // Unchecked: only one thread at a time uses this object. The thread that loads the font passes the object to the
    // camera's thread.

    /// The properties of a frame that the glyphs depend on.
    private struct Kind: Equatable {
        var width: Int
        var height: Int
        var shades: StampShades
    }

    /// One plane of a frame, valid while the frame is drawn.
    private struct Plane {
        var start: UnsafeMutablePointer<UInt8>
        var bytesPerRow: Int
        /// The number of visible samples, or pairs of samples, in a row.
        var columns: Int
        var rows: Int
        /// The number of bytes of a sample, or of a pair of samples.
        var step: Int
    }

    private let stamp: FrameStamp
    private let font: StampFont
    private var line: StampLine?
    private var latest: (kind: Kind, atlas: GlyphAtlas)?

    /// The smallest font size in pixels for a text that is too wide. A text that is still too wide loses its end.
    private static let leastPixels = 6

    /// Loads the font. Blocks for milliseconds; a search by name may take longer.
    ///
    /// - Parameter name: the recorder's name.
    /// - Throws: the reason why the font cannot be used, with the package to install.
    package init(_ stamp: FrameStamp, name: String) throws(MediaError) {
        self.stamp = stamp
        font = try StampFont(stamp.font)
        line = stamp.pattern.map { StampLine($0, name: name) }
    }

    /// Draws the stamp of one frame.
    ///
    /// - Precondition: the frame is NV12 or I420.
    package func paint(_ frame: borrowing MutablePixelBuffer, _ moment: FrameMoment) {
        let layout = frame.layout
        precondition(layout.format == .nv12 || layout.format == .i420, "stamps are drawn on 4:2:0 of eight bits")
        line?.update(moment)
        guard let scalars = line?.scalars, let luma = frame.plane(0).baseAddress,
            let chroma = frame.plane(1).baseAddress, let last = frame.plane(layout.planes.count - 1).baseAddress
        else { return }
        let shades = StampShades(isFullRange: frame.color.isFullRange)
        let kind = Kind(width: layout.width, height: layout.height, shades: shades)
        var atlas = makeAtlas(kind)
        // The reference in `latest` is released, so that a new glyph does not copy the atlas.
        latest = nil
        let (x, y) = place(scalars, &atlas, kind)
        func plane(_ start: UnsafeMutableRawPointer, _ index: Int, _ step: Int) -> Plane {
            let share = index == 0 ? 1 : 2
            return Plane(
                start: start.assumingMemoryBound(to: UInt8.self), bytesPerRow: layout.planes[index].bytesPerRow,
                columns: (layout.width + share - 1) / share, rows: (layout.height + share - 1) / share, step: step)
        }
        let isInterleaved = layout.format == .nv12
        let lumaPlane = plane(luma, 0, 1)
        let chromaPlane = plane(chroma, 1, isInterleaved ? 2 : 1)
        let lastPlane = isInterleaved ? nil : plane(last, 2, 1)
        var pen = x
        for scalar in scalars {
            let glyph = atlas.glyph(scalar)
            Self.cover(lumaPlane, glyph, glyph.keep, x: pen, y: y, share: 1, shades.dark)
            Self.cover(chromaPlane, glyph, glyph.chromaKeep, x: pen, y: y, share: 2, 128)
            if let lastPlane { Self.cover(lastPlane, glyph, glyph.chromaKeep, x: pen, y: y, share: 2, 128) }
            pen += glyph.advance
        }
        pen = x
        for scalar in scalars {
            let glyph = atlas.glyph(scalar)
            Self.brighten(lumaPlane, glyph, x: pen, y: y)
            pen += glyph.advance
        }
        latest = (kind, atlas)
    }

    /// Returns the latest atlas, or a new one for frames of a different kind.
    private func makeAtlas(_ kind: Kind) -> GlyphAtlas {
        if let latest, latest.kind == kind { return latest.atlas }
        return GlyphAtlas(font, size: stamp.pixels(height: kind.height), kind.shades)
    }

    /// Returns the first pen position: the left end and the top of the line. Chooses a smaller font if the line is too
    /// wide.
    private func place(_ scalars: [UInt32], _ atlas: inout GlyphAtlas, _ kind: Kind) -> (x: Int, y: Int) {
        let margin = StampGlyph.even(stamp.pixels(height: kind.height) / 2 + 1)
        let room = max(0, kind.width - 2 * margin)
        var width = atlas.width(of: scalars)
        while width > room, atlas.size > Self.leastPixels {
            let size = min(atlas.size - 1, atlas.size * room / width)
            atlas = GlyphAtlas(font, size: max(Self.leastPixels, size), kind.shades)
            width = atlas.width(of: scalars)
        }
        let right = StampGlyph.even(max(margin, kind.width - margin - width))
        let bottom = StampGlyph.even(max(0, kind.height - margin - atlas.height))
        switch stamp.place {
        case .topLeft: return (margin, margin)
        case .topRight: return (right, margin)
        case .bottomLeft: return (margin, bottom)
        case .bottomRight: return (right, bottom)
        }
    }

    // MARK: Pixels

    /// The part of a glyph that is inside a plane.
    private struct Part {
        var column: Int
        var row: Int
        var columns: Int32
        var rows: Int32
        var target: UnsafeMutablePointer<UInt8>

        /// - Parameter share: the number of pixels that share a sample, in each direction.
        init?(of glyph: StampGlyph, in plane: Plane, x: Int, y: Int, share: Int) {
            // All these numbers are even, so the divisions are exact.
            let (left, top) = ((x + glyph.x) / share, (y + glyph.y) / share)
            (column, row) = (max(0, -left), max(0, -top))
            let right = min(glyph.width / share, plane.columns - left)
            let bottom = min(glyph.height / share, plane.rows - top)
            guard column < right, row < bottom else { return nil }
            (columns, rows) = (Int32(right - column), Int32(bottom - row))
            target = plane.start + (top + row) * plane.bytesPerRow + (left + column) * plane.step
        }
    }

    private static func cover(
        _ plane: Plane, _ glyph: StampGlyph, _ keep: [UInt8], x: Int, y: Int, share: Int, _ value: UInt8
    ) {
        guard let part = Part(of: glyph, in: plane, x: x, y: y, share: share) else { return }
        let width = glyph.width / share
        keep.withUnsafeBufferPointer { keep in
            guard let start = keep.baseAddress else { return }
            let from = start + part.row * width + part.column
            if plane.step == 2 {
                cyuv_cover_pairs(
                    from, Int32(width), part.target, Int32(plane.bytesPerRow), part.columns, part.rows, value)
            } else {
                cyuv_cover(from, Int32(width), part.target, Int32(plane.bytesPerRow), part.columns, part.rows, value)
            }
        }
    }

    private static func brighten(_ plane: Plane, _ glyph: StampGlyph, x: Int, y: Int) {
        guard let part = Part(of: glyph, in: plane, x: x, y: y, share: 1) else { return }
        glyph.light.withUnsafeBufferPointer { light in
            guard let start = light.baseAddress else { return }
            cyuv_brighten(
                start + part.row * glyph.width + part.column, Int32(glyph.width), part.target,
                Int32(plane.bytesPerRow), part.columns, part.rows)
        }
    }
}
