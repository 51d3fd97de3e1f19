import MediaTypes

extension CGImage {
    /// A copy of the image for the engine; nil unless it has eight bits per component, and nil for alpha only.
    ///
    /// Alpha is kept unchanged.
    var pixels: PixelBuffer? {
        guard bitsPerComponent == 8, let bytes = dataProvider?.bytes, !bitmapInfo.contains(.floatComponents) else {
            return nil
        }
        guard let format = pixelFormat else { return nil }
        let layout = PixelLayout(format: format, width: width, height: height)
        let rowBytes = width * bitsPerPixel / 8
        // Row by row: the last row of a cropped image may end before a full `bytesPerRow`.
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

    private var pixelFormat: PixelFormat? {
        let isLittle = byteOrderInfo == .order32Little
        switch (bitsPerPixel, alphaInfo) {
        case (8, .none) where colorSpace?.model != .rgb: return .gray8
        case (24, .none): return .rgb24
        case (32, .premultipliedFirst), (32, .first), (32, .noneSkipFirst): return isLittle ? .bgra : .argb
        case (32, .premultipliedLast), (32, .last), (32, .noneSkipLast): return .rgba
        default: return nil
        }
    }

    /// True for alpha, blue, green, red: the only order that the engine does not support.
    private var isAlphaFirstReversed: Bool {
        bitsPerPixel == 32 && byteOrderInfo == .order32Little
            && [.premultipliedLast, .last, .noneSkipLast].contains(alphaInfo)
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
