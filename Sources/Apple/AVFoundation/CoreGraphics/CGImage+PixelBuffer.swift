import MediaTypes

extension CGImage {
    /// Creates an image that shares the memory of the library's pixel buffer. nil if the pixels are neither RGB nor
    /// gray.
    convenience init?(_ image: PixelBuffer) {
        guard image.layout.holdsWholeFrame, let plane = image.layout.planes.first else { return nil }
        let (bytes, info): (Int, CGBitmapInfo)
        switch image.format {
        case .bgra: (bytes, info) = (4, CGBitmapInfo(alpha: .premultipliedFirst, byteOrder: .order32Little))
        case .rgba: (bytes, info) = (4, CGBitmapInfo(alpha: .premultipliedLast))
        case .argb: (bytes, info) = (4, CGBitmapInfo(alpha: .premultipliedFirst))
        case .rgb24: (bytes, info) = (3, CGBitmapInfo(alpha: .none))
        case .gray8: (bytes, info) = (1, CGBitmapInfo(alpha: .none))
        default: return nil
        }
        let rows = UnsafeRawBufferPointer(
            rebasing: image.data.bytes[plane.offset..<(plane.offset + plane.bytesPerRow * plane.rows)])
        self.init(
            width: image.width, height: image.height, bitsPerComponent: 8, bitsPerPixel: 8 * bytes,
            bytesPerRow: plane.bytesPerRow, bitmapInfo: info, colorSpace: CGColorSpace(of: image),
            shouldInterpolate: true, intent: .defaultIntent,
            provider: CGDataProvider(borrowing: rows, keeping: image.data))
    }
}

extension CGColorSpace {
    /// Creates the color space for the image's primaries and transfer function (ITU-T H.273); sRGB if they are
    /// unspecified.
    convenience init(of image: PixelBuffer) {
        let color = image.color
        let name =
            switch (color.primaries, color.transfer) {
            case (9, 16): Self.itur_2100_PQ
            case (9, 18): Self.itur_2100_HLG
            case (9, _): Self.itur_2020
            case (12, 16): Self.displayP3_PQ
            case (12, 18): Self.displayP3_HLG
            case (12, _): Self.displayP3
            case (11, _): Self.dcip3
            case (1, 1): Self.itur_709
            case (_, 8): Self.linearSRGB
            default: Self.sRGB
            }
        if image.format == .gray8 {
            self.init(name: Self.genericGrayGamma2_2, model: .monochrome)
        } else {
            self.init(name: name, model: .rgb)
        }
    }
}
