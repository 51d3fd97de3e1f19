public import Foundation
import Glibc

extension CGContext {
    /// Draws an image upright, scaled to fill a rectangle.
    ///
    /// The pixels are copied exactly if the image is not scaled and is aligned to pixels. The image may also be
    /// mirrored or rotated by quarter turns. Images that do not have eight bits per component, or that have a side of
    /// more than 32 767 pixels, are not drawn.
    public func draw(_ image: CGImage, in rect: CGRect) {
        let box = rect.standardized
        guard !box.isNull, !box.isInfinite else { return }
        // The transform from the image's pixels, counted from the upper left corner, to the program's coordinates.
        let placed = CGAffineTransform(
            a: box.width / CGFloat(image.width), b: 0, c: 0, d: -box.height / CGFloat(image.height), tx: box.minX,
            ty: box.maxY)
        let exact = placed.concatenating(state.ctm).concatenating(flip).onWholePixels(
            width: image.width, height: image.height)
        let transform = exact ?? placed.concatenating(state.ctm).concatenating(flip)
        // Pixman's numbers are 16.16 fixed-point. An image that is scaled beyond their range would be smaller than one
        // pixel of the bitmap, or would show only one of its own pixels.
        guard let forward = transform.cairoMatrix, let inverse = transform.inverted().cairoMatrix,
            forward.prefix(4).allSatisfy({ abs($0) < 16_777_216 }), inverse.prefix(4).allSatisfy({ abs($0) < 32_767 })
        else { return }
        var outline = PathSteps()
        outline.rectangle(
            CGRect(x: 0, y: 0, width: CGFloat(image.width), height: CGFloat(image.height)),
            transform.concatenating(flip))
        guard let bounds = outline.bounds, outline.isFinite,
            let source = ImageSurface(image, asGray: memory.form.isGray, cairo: cairo),
            let pattern = cairo.makePattern(source.surface)
        else { return }
        let filter = exact == nil ? state.interpolationQuality.filter : .nearest
        draw(within: bounds.applying(flip)) {
            inverse.withUnsafeBufferPointer { cairo.setPatternMatrix(pattern, $0.baseAddress) }
            cairo.setFilter(pattern, filter.rawValue)
            cairo.setExtend(pattern, Cairo.extendPad)
            emit(outline, .winding)
            cairo.clip(context)
            if state.alpha < 1, state.blendMode != .normal {
                // With some operators, Cairo would treat the opacity as coverage, so the image is first drawn into a
                // group. The group has no clip, because the clip's soft edges must not be applied twice.
                cairo.pushGroup(context)
                cairo.resetClip(context)
                cairo.setOperator(context, CGBlendMode.normal.cairoOperator)
                cairo.setSource(context, pattern)
                cairo.paintWithAlpha(context, state.alpha)
                cairo.popGroupToSource(context)
                cairo.paint(context)
            } else {
                cairo.setSource(context, pattern)
                cairo.paintWithAlpha(context, state.alpha)
            }
        }
        cairo.destroyPattern(pattern)
        withExtendedLifetime(source) {}
    }

    /// Returns an image with a copy of the current pixels; nil if there is not enough memory.
    public func makeImage() -> CGImage? {
        // Only the pixels of each row are read and written, because a row may contain many more bytes than its pixels.
        guard let pixels = calloc(height, bytesPerRow) else { return nil }
        for row in 0..<height {
            (pixels + row * bytesPerRow).copyMemory(
                from: memory.bytes + row * bytesPerRow, byteCount: width * bitsPerPixel / 8)
        }
        guard
            let provider = CGDataProvider(
                dataInfo: pixels, data: pixels, size: bytesPerRow * height, releaseData: { info, _, _ in free(info) })
        else {
            free(pixels)
            return nil
        }
        return CGImage(
            width: width, height: height, bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel,
            bytesPerRow: bytesPerRow, bitmapInfo: bitmapInfo, colorSpace: colorSpace, shouldInterpolate: true,
            intent: .defaultIntent, provider: provider)
    }
}

extension CGAffineTransform {
    /// Returns the transform with integer numbers if it maps each pixel of an image to exactly one pixel; nil if it
    /// does not.
    ///
    /// Numbers are rounded if that moves the farthest pixel by less than a thousandth of a pixel.
    fileprivate func onWholePixels(width: Int, height: Int) -> CGAffineTransform? {
        let parts = [a, b, c, d].map { Double($0) }
        let whole = parts.map { $0.rounded() }
        let tolerance = 0.0005 / Double(max(width, height))
        guard zip(parts, whole).allSatisfy({ abs($0 - $1) <= tolerance }),
            abs(whole[0]) + abs(whole[1]) == 1, abs(whole[2]) + abs(whole[3]) == 1,
            abs(whole[0]) == abs(whole[3])
        else { return nil }
        let (x, y) = (Double(tx).rounded(), Double(ty).rounded())
        guard abs(Double(tx) - x) <= 0.0005, abs(Double(ty) - y) <= 0.0005 else { return nil }
        return CGAffineTransform(
            a: CGFloat(whole[0]), b: CGFloat(whole[1]), c: CGFloat(whole[2]), d: CGFloat(whole[3]), tx: CGFloat(x),
            ty: CGFloat(y))
    }
}
