public import Foundation

extension CGContext {
    /// The beginning of the next line of text, on its baseline: the translation of `textMatrix`.
    ///
    /// Core Text draws there, and does not move it.
    public var textPosition: CGPoint {
        get { CGPoint(x: textMatrix.tx, y: textMatrix.ty) }
        set {
            textMatrix.tx = newValue.x
            textMatrix.ty = newValue.y
        }
    }

    /// Sets whether the glyphs of texts are filled, stroked, both, or left out.
    public func setTextDrawingMode(_ mode: CGTextDrawingMode) { state.textDrawingMode = mode }

    /// Draws glyphs as the text drawing mode says. The current path is kept.
    ///
    /// - Parameters:
    ///   - bounds: a rectangle that contains the outlines. They are not requested if it is outside of the clip.
    ///   - transform: from the coordinates of the outlines to the program's.
    ///   - color: the color to fill with; nil for that of the context.
    package func drawGlyphs(
        within bounds: CGRect, placedBy transform: CGAffineTransform, color: CGColor?, outlines: () -> CGPath
    ) {
        let mode = state.textDrawingMode
        let placed = transform.concatenating(state.ctm)
        guard mode.fills || mode.strokes, visiblePixels(of: bounds.applying(placed)) != nil else { return }
        var path = PathSteps()
        path.add(outlines().content, placed)
        if mode.fills {
            let before = state.fill
            if let color { setFillColor(color) }
            fill(path, .winding)
            state.fill = before
        }
        if mode.strokes { stroke(path) }
    }

    /// Draws glyphs that have colors of their own, in every text drawing mode but the invisible one.
    ///
    /// - Parameters:
    ///   - bounds: as those of `drawGlyphs`.
    ///   - color: a color of which only the opacity is used; nil for the context's fill color.
    ///   - paint: draws into a context of red, green, blue and alpha, as small as the visible part is, with the
    ///     transform from the coordinates of `bounds` to its own.
    package func drawColoredGlyphs(
        within bounds: CGRect, placedBy transform: CGAffineTransform, color: CGColor?,
        paint: (_ pixels: CGContext, _ placed: CGAffineTransform) -> Void
    ) {
        let mode = state.textDrawingMode
        let placed = transform.concatenating(state.ctm)
        guard mode.fills || mode.strokes, let region = visiblePixels(of: bounds.applying(placed)),
            let pixels = CGContext(
                data: nil, width: region.columns.count, height: region.rows.count, bitsPerComponent: 8, bytesPerRow: 0,
                space: CGColorSpaceCreateDeviceRGB(),
                bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
        else { return }
        // Rows are counted from the top.
        let box = CGRect(
            x: region.columns.lowerBound, y: height - region.rows.upperBound, width: pixels.width,
            height: pixels.height)
        paint(pixels, placed.concatenating(CGAffineTransform(translationX: -box.minX, y: -box.minY)))
        guard let image = pixels.makeImage() else { return }
        saveGState()
        state.alpha *= color?.rgba.alpha ?? state.fill.alpha
        state.ctm = .identity
        draw(image, in: box)
        restoreGState()
    }

    /// Returns the pixels that glyphs may change, inside of the clip; nil if there are none.
    ///
    /// - Parameter bounds: in the coordinates of the bitmap.
    private func visiblePixels(of bounds: CGRect) -> PixelRegion? {
        let flipped = bounds.applying(flip)
        guard let clip = clipBounds, let inside = PixelRegion(clip, width: width, height: height) else { return nil }
        return PixelRegion(
            state.textDrawingMode.strokes ? widened(flipped) : flipped, width: width, height: height)?
            .intersection(inside)
    }
}
