import CoreGraphics

extension TextEngine {
    /// Returns the outlines of glyphs, relative to the origin of the first glyph, with y pointing up.
    func outlines(of group: GlyphGroup) -> CGPath {
        let outlines = CGMutablePath()
        locked {
            var x = 0.0
            for first in stride(from: 0, to: group.infos.count, by: GlyphGroup.infoCount) {
                let glyph = Array(group.infos[first..<first + GlyphGroup.infoCount])
                trace(glyph, of: group, at: x, to: outlines)
                x += Double(glyph[1]) / PangoCalls.scale
            }
        }
        return outlines
    }

    /// Adds the outlines of one glyph. The glyph is traced at the origin, because Cairo omits glyphs whose distance
    /// from the origin is more than ten times their size.
    private func trace(_ glyph: [Int32], of group: GlyphGroup, at x: Double, to outlines: CGMutablePath) {
        guard let cairo = calls.makeCairo(scratch) else { return }
        defer { calls.destroyCairo(cairo) }
        // Cairo's coordinates are multiples of 1/256. Glyphs are therefore traced at a large size and then scaled down,
        // so that they are exact at any size at which a program draws them.
        let scale = Self.tracedSize / group.size
        [scale, 0, 0, scale, 0, 0].withUnsafeBufferPointer { calls.setMatrix(cairo, $0.baseAddress) }
        calls.move(cairo, 0, 0)
        GlyphGroup.withGlyphString(glyph) { calls.addPath(cairo, group.font.object, $0) }
        guard let path = calls.copyPath(cairo) else { return }
        defer { calls.destroyPath(path) }
        Self.add(UnsafeRawPointer(path), at: x, to: outlines)
    }

    /// Draws glyphs with their own colors.
    ///
    /// - Parameters:
    ///   - pixels: a context with blue, green, red and alpha.
    ///   - placed: the transform from the glyphs' coordinates, in which y points up, to the context's coordinates.
    func show(_ group: GlyphGroup, on pixels: CGContext, _ placed: CGAffineTransform) {
        let flip = CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: CGFloat(pixels.height))
        let whole = CGAffineTransform(scaleX: 1, y: -1).concatenating(placed).concatenating(flip)
        let matrix = [whole.a, whole.b, whole.c, whole.d, whole.tx, whole.ty].map { Double($0) }
        let determinant = matrix[0] * matrix[3] - matrix[1] * matrix[2]
        guard determinant != 0, determinant.isFinite, let data = pixels.data else { return }
        locked {
            guard
                let surface = calls.makeSurface(
                    data, PangoCalls.argb, Int32(pixels.width), Int32(pixels.height), Int32(pixels.bytesPerRow))
            else { return }
            defer { calls.destroySurface(surface) }
            guard let cairo = calls.makeCairo(surface) else { return }
            matrix.withUnsafeBufferPointer { calls.setMatrix(cairo, $0.baseAddress) }
            calls.move(cairo, 0, 0)
            group.withGlyphString { calls.show(cairo, group.font.object, $0) }
            calls.destroyCairo(cairo)
            calls.flushSurface(surface)
        }
    }

    /// The size at which glyphs are traced. Fonts usually have 1000 to 2048 units per em.
    private static let tracedSize = 2048.0

    /// Adds a path that Cairo has returned.
    ///
    /// - Parameters:
    ///   - path: a cairo_path_t. It has a status, a pointer to elements of 16 bytes, and the number of elements.
    ///   - x: the horizontal position of the path's origin.
    private static func add(_ path: UnsafeRawPointer, at x: Double, to outlines: CGMutablePath) {
        let count = Int(path.load(fromByteOffset: 16, as: Int32.self))
        guard path.load(as: Int32.self) == 0, count > 0,
            let elements = path.load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
        else { return }
        var index = 0
        while index < count {
            // Each step has a header with its kind and its length, followed by its points, with y pointing down.
            let header = elements + index * 16
            let length = Int(header.load(fromByteOffset: 4, as: Int32.self))
            guard length > 0, index + length <= count else { return }
            func point(_ number: Int) -> CGPoint {
                let place = header + number * 16
                return CGPoint(x: x + place.load(as: Double.self), y: -place.load(fromByteOffset: 8, as: Double.self))
            }
            switch (header.load(as: Int32.self), length) {
            case (0, 2...): outlines.move(to: point(1))
            case (1, 2...): outlines.addLine(to: point(1))
            case (2, 4...): outlines.addCurve(to: point(3), control1: point(1), control2: point(2))
            case (3, _): outlines.closeSubpath()
            default: break
            }
            index += length
        }
    }
}
