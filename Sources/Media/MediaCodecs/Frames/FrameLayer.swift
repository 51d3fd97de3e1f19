package import MediaTypes

/// A frame and its position on a canvas.
package struct FrameLayer: Sendable {
    package var frame: PixelBuffer
    /// The visible part, in pixels of the frame; nil means the entire frame.
    package var crop: PixelRectangle?
    /// The orientation of the visible part.
    package var orientation: FrameOrientation
    /// The position in pixels of the canvas. The layer may extend beyond the canvas.
    package var place: Place
    /// The opacity from 0, invisible, to 1, opaque.
    package var opacity: Double

    /// A rectangle whose edges may be at fractions of pixels.
    package struct Place: Sendable, Hashable {
        package var x: Double
        package var y: Double
        package var width: Double
        package var height: Double

        package init(x: Double, y: Double, width: Double, height: Double) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    package init(
        _ frame: PixelBuffer, crop: PixelRectangle? = nil, orientation: FrameOrientation = .upright, place: Place,
        opacity: Double = 1
    ) {
        self.frame = frame
        self.crop = crop
        self.orientation = orientation
        self.place = place
        self.opacity = opacity
    }
}

/// The mapping of source pixels to canvas pixels along one axis.
struct LayerSpan {
    /// The visible pixels of the canvas.
    var seen: Range<Int>
    /// The pixels of the source that the visible pixels need.
    var source: Range<Int>
    /// The pixels of the canvas that the source pixels cover: the visible pixels and a few more.
    var drawn: Range<Int>

    /// - Parameters:
    ///   - length: the width or height of the source, in pixels.
    ///   - start: the left or top edge of the layer on the canvas.
    ///   - size: the width or height of the layer on the canvas.
    ///   - canvas: the width or height of the canvas.
    /// - Returns: nil if nothing is visible.
    init?(length: Int, start: Double, size: Double, canvas: Int) {
        let limit = 1e9
        guard length > 0, start.magnitude < limit, size > 0, size < limit else { return nil }
        let (first, last) = (Int(clamping: start.rounded()), Int(clamping: (start + size).rounded()))
        seen = max(0, first)..<max(max(0, first), min(canvas, last))
        guard !seen.isEmpty else { return nil }
        if seen == first..<last {
            (source, drawn) = (0..<length, seen)
            return
        }
        // The range consists of entire source pixels. Otherwise a frame that is enlarged and cropped would jump.
        let step = Double(last - first) / Double(length)
        let from = min(length - 1, Int(clamping: (Double(seen.lowerBound - first) / step).rounded(.down)))
        let to = max(from + 1, min(length, Int(clamping: (Double(seen.upperBound - first) / step).rounded(.up))))
        source = from..<to
        let drawnFirst = first + Int(clamping: (Double(from) * step).rounded())
        drawn =
            min(
                drawnFirst, seen.lowerBound)..<max(
                first + Int(clamping: (Double(to) * step).rounded()), seen.upperBound)
    }
}
