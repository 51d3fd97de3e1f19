package import MediaTypes

/// A picture and where it lies on a larger one.
package struct PictureLayer: Sendable {
    package var picture: PixelBuffer
    /// The part that is shown, in pixels of the picture; nil: all of it.
    package var crop: PixelRectangle?
    /// How that part is turned.
    package var orientation: PictureOrientation
    /// Where it goes, in pixels of the canvas; it may reach beyond.
    package var place: Place
    /// 0: not seen, to 1: nothing is seen through it.
    package var opacity: Double

    /// A rectangle whose edges need not lie between pixels.
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
        _ picture: PixelBuffer, crop: PixelRectangle? = nil, orientation: PictureOrientation = .upright, place: Place,
        opacity: Double = 1
    ) {
        self.picture = picture
        self.crop = crop
        self.orientation = orientation
        self.place = place
        self.opacity = opacity
    }
}

/// How a stretch of pixels of a source covers a stretch of the canvas, along one side.
struct LayerSpan {
    /// Pixels of the canvas that are seen.
    var seen: Range<Int>
    /// Pixels of the source that are needed for them.
    var source: Range<Int>
    /// The pixels of the canvas that those would cover: what is seen and a little more.
    var drawn: Range<Int>

    /// - Parameters:
    ///   - length: of the source, in pixels.
    ///   - start, size: of the place on the canvas.
    ///   - canvas: its length.
    /// - Returns: nil when nothing is seen.
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
        // Whole pixels of the source, or a picture that is enlarged and cut would jump.
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
