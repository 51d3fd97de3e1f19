package import MediaTypes

/// Converts frames of any size, layout and color to a track's size, matrix and range.
///
/// A frame that already matches passes through unchanged, in any layout. Others become 4:2:0; alpha is dropped.
/// Primaries and transfer functions stay unchanged. So does full range if nothing else differs: the encoder then limits
/// it. Called by one thread at a time. Memory comes from pools.
package final class PictureFitter {
    private let frame: PictureGeometry
    private let mode: VideoSettings.ScalingMode
    private let color: ColorDescription?
    private let bitDepth: Int
    private let formats = PixelConverter()
    private let scaler = PictureScaler()
    private let matcher: PictureColorMatcher
    /// The latest placement, which nearly always applies to the next frame too.
    private var latest: (picture: PictureGeometry, placement: PicturePlacement)?

    /// - Parameters:
    ///   - frame: the geometry of the result. Its clean aperture is ignored.
    ///   - color: the color tags of the result; nil: those of the source.
    ///   - bitDepth: the maximum useful bit depth; deeper frames are reduced.
    package init(
        _ frame: PictureGeometry, mode: VideoSettings.ScalingMode, color: ColorDescription? = nil, bitDepth: Int = 10
    ) {
        self.frame = frame
        self.mode = mode
        self.color = color
        self.bitDepth = bitDepth
        matcher = PictureColorMatcher(formats)
    }

    /// The number of allocations from the system: constant once the pipeline runs.
    package var allocationCount: Int { formats.allocationCount + scaler.allocationCount }

    /// - Parameters:
    ///   - pixelAspectRatio: the source frame's pixel aspect ratio.
    ///   - cleanAperture: the part of the source that is meant to be shown; nil: all. A source that has the target size
    ///     is never cropped.
    /// - Throws: `invalidSample` for rows too short for the frame, and for sides that are not in 1 to
    ///   `PictureScaler.greatestLength`.
    package func fit(
        _ picture: PixelBuffer, pixelAspectRatio: Ratio = .one, cleanAperture: CleanAperture? = nil
    ) throws(MediaError) -> PixelBuffer {
        let geometry = PictureGeometry(
            width: picture.width, height: picture.height, pixelAspectRatio: pixelAspectRatio,
            cleanAperture: cleanAperture)
        let (isSized, isMatched) = (isSized(geometry), isMatched(picture))
        if isSized, isMatched { return picture }
        let lengths = 1...PictureScaler.greatestLength
        guard lengths.contains(picture.width), lengths.contains(picture.height) else {
            throw MediaError(
                .invalidSample, "cannot scale a frame of \(picture.width)×\(picture.height)",
                reason: "each side must be 1 to \(PictureScaler.greatestLength)")
        }
        try formats.requireWhole(picture.layout)
        let isDeep = picture.format.bitDepth > 8 && bitDepth > 8 && isMatched
        let planar = try formats.convert(picture, to: isDeep ? .i010 : .i420)
        let sized = isSized ? planar : scaled(planar, geometry)
        guard let color, !isMatched else { return sized }
        return matcher.match(sized, height: picture.height, to: color, height: frame.height)
    }

    private func isSized(_ picture: PictureGeometry) -> Bool {
        guard picture.width == frame.width, picture.height == frame.height else { return false }
        switch mode {
        case .fit, .resize: return true
        case .resizeAspect, .resizeAspectFill: return picture.hasSamePixels(as: frame)
        }
    }

    /// Returns true if the values match the target, or will after full range becomes limited. A frame without a matrix
    /// counts as having the track's, if that has one.
    private func isMatched(_ picture: PixelBuffer) -> Bool {
        guard let color else { return true }
        let hasRange = picture.color.matrix == 2 || picture.color.isFullRange || !color.isFullRange
        if picture.format == .gray8 { return hasRange }
        let wanted = color.lumaWeights(height: frame.height)
        // libyuv's conversion of RGB.
        if picture.format.isRGB { return wanted == ColorDescription.bt601.lumaWeights(height: 0) && !color.isFullRange }
        if picture.color.matrix == 2, color.matrix != 2 { return true }
        return picture.color.lumaWeights(height: picture.height) == wanted && hasRange
    }

    private func scaled(_ picture: PixelBuffer, _ geometry: PictureGeometry) -> PixelBuffer {
        let placement = placement(geometry)
        var color = picture.color
        // A scaled frame without a matrix must keep the standard of its original size.
        if color.matrix == 2, (picture.height >= 720) != (frame.height >= 720) {
            color.matrix = picture.height >= 720 ? 1 : 6
        }
        let target = formats.target(picture.format, width: frame.width, height: frame.height, color: color)
        if placement.isPadded {
            pad(picture, into: target)
        } else if placement.place.width < frame.width || placement.place.height < frame.height {
            target.fillWithBlack()
        }
        scaler.draw(picture, placement.part, into: target, placement.place)
        return target.finish()
    }

    /// Repeats the last column and the last row of a frame with odd sides. Both begin between two chroma samples.
    private func pad(_ picture: PixelBuffer, into target: borrowing MutablePixelBuffer) {
        let (right, below) = (picture.width - 1, picture.height - 1)
        let (isWider, isHigher) = (frame.width > picture.width, frame.height > picture.height)
        func strip(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ isCorner: Bool = false) {
            let part = PixelRectangle(x: x, y: y, width: width, height: height)
            var place = part
            if x > 0 || isCorner { place.width += 1 }
            if y > 0 || isCorner { place.height += 1 }
            scaler.draw(picture, part, into: target, place)
        }
        if isWider { strip(right, 0, 1, picture.height) }
        if isHigher { strip(0, below, picture.width, 1) }
        if isWider, isHigher { strip(right, below, 1, 1, true) }
    }

    private func placement(_ picture: PictureGeometry) -> PicturePlacement {
        if let latest, latest.picture == picture { return latest.placement }
        let placement = PicturePlacement(picture, on: frame, mode)
        latest = (picture, placement)
        return placement
    }
}
