import MediaTypes

extension CGImage {
    /// A copy of the image for the library. nil for an image that does not have eight bits per component, and for an
    /// image that has only alpha.
    ///
    /// Alpha is kept unchanged.
    var pixels: PixelBuffer? {
        guard bitsPerComponent == 8, let bytes = dataProvider?.bytes, !bitmapInfo.contains(.floatComponents) else {
            return nil
        }
        guard let format = pixelFormat else { return nil }
        let layout = PixelLayout(format: format, width: width, height: height)
        let rowBytes = width * bitsPerPixel / 8
        // The rows are copied one by one, because the last row of a cropped image may end before a full `bytesPerRow`.
        let image = MutablePixelBuffer(layout: layout, color: color)
        let target = image.plane(0)
        for row in 0..<height {
            let source = UnsafeRawBufferPointer(
                rebasing: bytes[(row * bytesPerRow)..<(row * bytesPerRow + rowBytes)])
            UnsafeMutableRawBufferPointer(rebasing: target[(row * layout.planes[0].bytesPerRow)...]).copyMemory(
                from: source)
        }
        if isAlphaFirstReversed { reverse(target) }
        return image.finish()
    }

    var hasAlpha: Bool { [.premultipliedFirst, .premultipliedLast, .first, .last].contains(alphaInfo) }

    /// The same copy as `pixels`, but with colors that are not multiplied by alpha, as PNG stores them.
    var straightPixels: PixelBuffer? {
        guard let source = pixels else { return nil }
        guard alphaInfo == .premultipliedFirst || alphaInfo == .premultipliedLast else { return source }
        return Self.colors(of: source) { $1 > 0 ? ($0 * 255 + $1 / 2) / $1 : $0 }
    }

    /// The same copy as `pixels`, but with colors that are multiplied by alpha, so that the image appears on black.
    var pixelsOnBlack: PixelBuffer? {
        guard let source = pixels else { return nil }
        guard alphaInfo == .first || alphaInfo == .last else { return source }
        return Self.colors(of: source) { ($0 * $1 + 127) / 255 }
    }

    /// Returns an image with four bytes per pixel, in which each color value is replaced by a function of that value
    /// and alpha.
    private static func colors(of source: PixelBuffer, _ replace: (_ color: Int, _ alpha: Int) -> Int) -> PixelBuffer {
        let target = MutablePixelBuffer(layout: source.layout, color: source.color)
        let (from, to) = (source.plane(0), target.plane(0))
        let alphaPlace = source.format == .argb ? 0 : 3
        for pixel in stride(from: 0, to: from.count, by: 4) {
            let alpha = Int(from[pixel + alphaPlace])
            for place in pixel..<pixel + 4 {
                let isColor = place != pixel + alphaPlace
                to[place] = isColor ? UInt8(clamping: replace(Int(from[place]), alpha)) : from[place]
            }
        }
        return target.finish()
    }

    private var pixelFormat: PixelFormat? {
        let isLittle = byteOrderInfo == .order32Little && bitsPerPixel == 32
        guard isLittle || byteOrderInfo == .orderDefault || byteOrderInfo == .order32Big else { return nil }
        switch (bitsPerPixel, alphaInfo) {
        case (8, .none) where colorSpace?.model != .rgb: return .gray8
        case (24, .none): return .rgb24
        case (32, .premultipliedFirst), (32, .first), (32, .noneSkipFirst): return isLittle ? .bgra : .argb
        case (32, .premultipliedLast), (32, .last), (32, .noneSkipLast), (32, .none): return .rgba
        default: return nil
        }
    }

    /// True for the order alpha, blue, green, red, the only one that the library does not support.
    private var isAlphaFirstReversed: Bool {
        bitsPerPixel == 32 && byteOrderInfo == .order32Little
            && [.premultipliedLast, .last, .noneSkipLast, .none].contains(alphaInfo)
    }

    private func reverse(_ pixels: UnsafeMutableRawBufferPointer) {
        for pixel in pixels.bindMemory(to: UInt32.self).indices {
            let value = pixels.load(fromByteOffset: 4 * pixel, as: UInt32.self)
            pixels.storeBytes(of: value.byteSwapped, toByteOffset: 4 * pixel, as: UInt32.self)
        }
    }

    private var color: ColorDescription {
        switch colorSpace?.name {
        case CGColorSpace.itur_2100_PQ: ColorDescription(primaries: 9, transfer: 16, matrix: 9)
        case CGColorSpace.itur_2100_HLG: ColorDescription(primaries: 9, transfer: 18, matrix: 9)
        case CGColorSpace.itur_2020: ColorDescription(primaries: 9, transfer: 14, matrix: 9)
        case CGColorSpace.displayP3: ColorDescription(primaries: 12, transfer: 13, matrix: 1)
        case CGColorSpace.itur_709: .bt709
        default: ColorDescription(primaries: 1, transfer: 13, matrix: 0)
        }
    }
}
