public import Foundation

extension CGContext {
    /// The point on the baseline at which the next line of text begins. It is the translation of `textMatrix`.
    ///
    /// Core Text draws at this point, but does not move it.
    public var textPosition: CGPoint {
        get { CGPoint(x: textMatrix.tx, y: textMatrix.ty) }
        set {
            textMatrix.tx = newValue.x
            textMatrix.ty = newValue.y
        }
    }

    /// Sets whether glyphs are filled, stroked, both, or not drawn.
    public func setTextDrawingMode(_ mode: CGTextDrawingMode) { state.textDrawingMode = mode }

    /// Draws glyphs in the current text drawing mode. The current path is kept.
    ///
    /// - Parameters:
    ///   - bounds: a rectangle that contains the outlines. `outlines` is not called if this rectangle is outside the
    ///     clip.
    ///   - transform: the transform from the coordinates of the outlines to the program's.
    ///   - color: the color to fill with; nil for the context's fill color.
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

    /// Draws glyphs that have their own colors. They are drawn in every text drawing mode except the invisible one.
    ///
    /// - Parameters:
    ///   - bounds: a rectangle that contains the glyphs.
    ///   - color: a color of which only the opacity is used; nil for the context's fill color.
    ///   - paint: a closure that draws the glyphs into a context with red, green, blue and alpha. This context is only
    ///     as large as the visible part. The closure also gets the transform from the coordinates of `bounds` to that
    ///     context.
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
        // The region's rows are counted from the top.
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

    /// Returns the pixels inside the clip that glyphs may change; nil if there are none.
    ///
    /// - Parameter bounds: a rectangle in the bitmap's coordinates that contains the glyphs.
    private func visiblePixels(of bounds: CGRect) -> PixelRegion? {
        let flipped = bounds.applying(flip)
        guard let clip = clipBounds, let inside = PixelRegion(clip, width: width, height: height) else { return nil }
        return PixelRegion(
            state.textDrawingMode.strokes ? widened(flipped) : flipped, width: width, height: height)?
            .intersection(inside)
    }
}
