package import MediaTypes

/// The size of a frame, and how it is meant to be shown.
package struct FrameGeometry: Sendable, Hashable {
    package var width: Int
    package var height: Int
    package var pixelAspectRatio: Ratio
    /// The clean aperture; nil means the entire frame.
    package var cleanAperture: CleanAperture?

    package init(width: Int, height: Int, pixelAspectRatio: Ratio = .one, cleanAperture: CleanAperture? = nil) {
        self.width = width
        self.height = height
        self.pixelAspectRatio = pixelAspectRatio
        self.cleanAperture = cleanAperture
    }

    /// The part inside the clean aperture; the entire frame if the aperture extends beyond the frame.
    package var visible: PixelRectangle {
        let whole = PixelRectangle(width: width, height: height)
        guard let aperture = cleanAperture else { return whole }
        let part = PixelRectangle(
            x: (width - Int(aperture.width)) / 2 + Int(aperture.horizontalOffset),
            y: (height - Int(aperture.height)) / 2 + Int(aperture.verticalOffset), width: Int(aperture.width),
            height: Int(aperture.height))
        return part.isInside(width: width, height: height) ? part : whole
    }

    /// The ratio of a pixel's width to its height.
    fileprivate var aspect: Double {
        Double(max(1, pixelAspectRatio.numerator)) / Double(max(1, pixelAspectRatio.denominator))
    }

    func hasSamePixels(as other: FrameGeometry) -> Bool {
        let (one, two) = (pixelAspectRatio, other.pixelAspectRatio)
        return Int64(one.numerator) * Int64(two.denominator) == Int64(two.numerator) * Int64(one.denominator)
    }

    /// Returns the size in which the entire visible part fits into a frame, according to
    /// `VideoSettings.ScalingMode.fit`. Both numbers are even, because 4:2:0 requires it.
    package func size(fitting frame: FrameGeometry) -> (width: Int, height: Int) {
        let part = visible
        let shown = Double(part.width) * aspect / frame.aspect
        let factor = min(1, Double(frame.width) / max(1, shown), Double(frame.height) / Double(max(1, part.height)))
        func even(_ length: Double, _ most: Int) -> Int {
            // Odd sizes are rounded down. Scaled sizes are rounded to the nearest even number.
            let near = factor == 1 ? Int(clamping: length) / 2 * 2 : Int(clamping: (length * factor / 2).rounded()) * 2
            return max(2, min(near, most))
        }
        return (even(shown, frame.width), even(Double(part.height), frame.height))
    }
}

/// The part of a frame to use, and its position on a frame of a different size. A pure value.
struct FramePlacement: Hashable {
    /// The part of the source frame.
    var part: PixelRectangle
    /// The position on the target frame. The rest of the target is black.
    var place: PixelRectangle
    /// True if the source's last column or row is repeated, because the target has one more column or row.
    var isPadded = false

    /// - Precondition: width and height of both frames are positive.
    init(_ source: FrameGeometry, on frame: FrameGeometry, _ mode: VideoSettings.ScalingMode) {
        part = source.visible
        place = PixelRectangle(width: frame.width, height: frame.height)
        let isWhole = part == PixelRectangle(width: source.width, height: source.height)
        // If the source has one row or column too many for 4:2:0, that row or column is cropped. The other pixels stay
        // sharp, because nothing is scaled.
        if isWhole, source.width & ~1 == frame.width, source.height & ~1 == frame.height,
            source.hasSamePixels(as: frame)
        {
            part = place
            return
        }
        // If the target has one more column or row for 4:2:0, the frame is not scaled but padded.
        if isWhole, (source.width + 1) & ~1 == frame.width, (source.height + 1) & ~1 == frame.height,
            source.hasSamePixels(as: frame)
        {
            (place, isPadded) = (part, true)
            return
        }
        let step = source.aspect / frame.aspect
        let shown = Double(part.width) * step
        let (wide, high) = (shown * Double(frame.height), Double(part.height) * Double(frame.width))
        // Sizes were rounded to integers, so a frame has the target's aspect ratio if the difference is up to two
        // pixels.
        let isAlike = abs(wide - high) <= 2 * max(shown, Double(part.height))
        switch mode {
        case .resize: break
        case .resizeAspect where isAlike, .resizeAspectFill where isAlike: break
        case .resizeAspectFill: cut(toShapeOf: frame, pixelStep: step)
        case .resizeAspect: shrinkPlace(shown, mostFactor: .infinity, frame)
        case .fit: shrinkPlace(shown, mostFactor: 1, frame)
        }
    }

    /// Crops the excess at both sides, or above and below.
    private mutating func cut(toShapeOf frame: FrameGeometry, pixelStep: Double) {
        let wanted = Double(frame.width) / (Double(frame.height) * pixelStep)
        let width = min(part.width, max(1, Int(clamping: (Double(part.height) * wanted).rounded())))
        let height = min(part.height, max(1, Int(clamping: (Double(part.width) / wanted).rounded())))
        let isTooWide = width < part.width
        // The corner must be between two chroma samples, so the offset is even.
        if isTooWide {
            part.x += (part.width - width) / 4 * 2
            part.width = width
        } else {
            part.y += (part.height - height) / 4 * 2
            part.height = height
        }
    }

    private mutating func shrinkPlace(_ shown: Double, mostFactor: Double, _ frame: FrameGeometry) {
        let factor = min(mostFactor, Double(frame.width) / shown, Double(frame.height) / Double(part.height))
        func fitted(_ length: Double, _ room: Int) -> Int {
            let near = min(room, max(1, Int(clamping: (length * factor).rounded())))
            // An edge inside the target must be between two chroma samples; otherwise the black next to it would be
            // tinted.
            return near == room ? near : max(1, near / 2 * 2)
        }
        let (width, height) = (fitted(shown, frame.width), fitted(Double(part.height), frame.height))
        place = PixelRectangle(
            x: (frame.width - width) / 4 * 2, y: (frame.height - height) / 4 * 2, width: width, height: height)
    }
}
