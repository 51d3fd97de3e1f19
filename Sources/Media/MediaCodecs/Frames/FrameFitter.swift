package import MediaTypes

/// Converts frames of any size, layout and color to a track's size, matrix and range.
///
/// A frame that already matches passes through unchanged, in any layout. All other frames become 4:2:0, without alpha.
/// Primaries and transfer functions stay unchanged. Full range stays unchanged if nothing else differs, because the
/// encoder then converts it to limited range. Called by one thread at a time. Memory comes from pools.
package final class FrameFitter {
    private let frame: FrameGeometry
    private let mode: VideoSettings.ScalingMode
    private let color: ColorDescription?
    private let bitDepth: Int
    private let formats = PixelConverter()
    private let scaler = FrameScaler()
    private let matcher: FrameColorMatcher
    /// The latest placement. It nearly always applies to the next frame too.
    private var latest: (source: FrameGeometry, placement: FramePlacement)?

    /// - Parameters:
    ///   - frame: the geometry of the result. Its clean aperture is ignored.
    ///   - color: the color tags of the result; nil means those of the source.
    ///   - bitDepth: the maximum useful bit depth; deeper frames are reduced.
    package init(
        _ frame: FrameGeometry, mode: VideoSettings.ScalingMode, color: ColorDescription? = nil, bitDepth: Int = 10
    ) {
        self.frame = frame
        self.mode = mode
        self.color = color
        self.bitDepth = bitDepth
        matcher = FrameColorMatcher(formats)
    }

    /// The number of allocations from the system. It stays constant once the pipeline runs.
    package var allocationCount: Int { formats.allocationCount + scaler.allocationCount }

    /// - Parameters:
    ///   - pixelAspectRatio: the source frame's pixel aspect ratio.
    ///   - cleanAperture: the part of the source that is meant to be shown; nil means the entire frame. A source that
    ///     has the target size is never cropped.
    /// - Throws: `invalidSample` for rows too short for the frame, and for sides outside 1 to
    ///   `FrameScaler.greatestLength`.
    package func fit(
        _ source: PixelBuffer, pixelAspectRatio: Ratio = .one, cleanAperture: CleanAperture? = nil
    ) throws(MediaError) -> PixelBuffer {
        let geometry = FrameGeometry(
            width: source.width, height: source.height, pixelAspectRatio: pixelAspectRatio,
            cleanAperture: cleanAperture)
        let (isSized, isMatched) = (isSized(geometry), isMatched(source))
        if isSized, isMatched { return source }
        let lengths = 1...FrameScaler.greatestLength
        guard lengths.contains(source.width), lengths.contains(source.height) else {
            throw MediaError(
                .invalidSample, "cannot scale a frame of \(source.width)×\(source.height)",
                reason: "each side must be 1 to \(FrameScaler.greatestLength)")
        }
        try formats.requireWhole(source.layout)
        let isDeep = source.format.bitDepth > 8 && bitDepth > 8 && isMatched
        let layout = isDeep ? PixelFormat.i010 : .i420
        let sized =
            if isSized {
                try formats.convert(source, to: layout)
            } else if source.format == .nv12, frame.width <= source.width, frame.height <= source.height {
                // The scaler separates interleaved chroma itself, so only the smaller frame needs a conversion.
                try formats.convert(scaled(source, geometry), to: layout)
            } else {
                scaled(try formats.convert(source, to: layout), geometry)
            }
        guard let color, !isMatched else { return sized }
        return matcher.match(sized, height: source.height, to: color, height: frame.height)
    }

    private func isSized(_ source: FrameGeometry) -> Bool {
        guard source.width == frame.width, source.height == frame.height else { return false }
        switch mode {
        case .fit, .resize: return true
        case .resizeAspect, .resizeAspectFill: return source.hasSamePixels(as: frame)
        }
    }

    /// Returns true if the frame's color tags match the target, or will match once full range is converted to limited.
    /// A frame without a matrix is assumed to have the track's matrix.
    private func isMatched(_ source: PixelBuffer) -> Bool {
        guard let color else { return true }
        let hasRange = source.color.matrix == 2 || source.color.isFullRange || !color.isFullRange
        if source.format == .gray8 { return hasRange }
        let wanted = color.lumaWeights(height: frame.height)
        // libyuv converts RGB only to limited-range BT.601.
        if source.format.isRGB { return wanted == ColorDescription.bt601.lumaWeights(height: 0) && !color.isFullRange }
        if source.color.matrix == 2, color.matrix != 2 { return true }
        return source.color.lumaWeights(height: source.height) == wanted && hasRange
    }

    private func scaled(_ source: PixelBuffer, _ geometry: FrameGeometry) -> PixelBuffer {
        let placement = placement(geometry)
        var color = source.color
        // If the matrix is unspecified, players assume it from the height. A scaled frame needs the matrix that players
        // assume for its original height.
        if color.matrix == 2, (source.height >= 720) != (frame.height >= 720) {
            color.matrix = source.height >= 720 ? 1 : 6
        }
        let target = formats.target(source.format, width: frame.width, height: frame.height, color: color)
        if placement.isPadded {
            pad(source, into: target)
        } else if placement.place.width < frame.width || placement.place.height < frame.height {
            target.fillWithBlack()
        }
        scaler.draw(source, placement.part, into: target, placement.place)
        return target.finish()
    }

    /// Repeats the last column and the last row of a frame with odd sides. The repeated column and row begin between
    /// two chroma samples.
    private func pad(_ source: PixelBuffer, into target: borrowing MutablePixelBuffer) {
        let (right, below) = (source.width - 1, source.height - 1)
        let (isWider, isHigher) = (frame.width > source.width, frame.height > source.height)
        func strip(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ isCorner: Bool = false) {
            let part = PixelRectangle(x: x, y: y, width: width, height: height)
            var place = part
            if x > 0 || isCorner { place.width += 1 }
            if y > 0 || isCorner { place.height += 1 }
            scaler.draw(source, part, into: target, place)
        }
        if isWider { strip(right, 0, 1, source.height) }
        if isHigher { strip(0, below, source.width, 1) }
        if isWider, isHigher { strip(right, below, 1, 1, true) }
    }

    private func placement(_ source: FrameGeometry) -> FramePlacement {
        if let latest, latest.source == source { return latest.placement }
        let placement = FramePlacement(source, on: frame, mode)
        latest = (source, placement)
        return placement
    }
}
