/// The positions of the components in the bytes of a pixel. Each component has eight bits.
struct PixelBytes: Equatable {
    /// The number of bytes per pixel.
    let count: Int
    /// The positions of red, green and blue. For gray, all three are equal. If there is only alpha, they are 0 and not
    /// used.
    let red: Int
    let green: Int
    let blue: Int
    /// The position of alpha; nil if there is none.
    let alpha: Int?
    let hasColor: Bool
    let isPremultiplied: Bool

    var isGray: Bool { hasColor && red == green }

    /// True for the bytes blue, green, red, alpha (or unused) in this order. These are Cairo's words on little-endian
    /// machines.
    var isCairos: Bool {
        count == 4 && blue == 0 && green == 1 && red == 2 && (alpha == nil || alpha == 3 && isPremultiplied)
    }

    /// Returns nil for a combination that is not supported.
    init?(
        bitsPerPixel: Int, alphaInfo: CGImageAlphaInfo, byteOrder: CGImageByteOrderInfo, model: CGColorSpaceModel
    ) {
        let isReversed = byteOrder == .order32Little
        guard isReversed || byteOrder == .orderDefault || byteOrder == .order32Big else { return nil }
        guard !isReversed || bitsPerPixel == 32 else { return nil }
        isPremultiplied = alphaInfo != .first && alphaInfo != .last
        count = bitsPerPixel / 8
        hasColor = alphaInfo != .alphaOnly
        let last = count - 1
        switch (bitsPerPixel, model, alphaInfo) {
        case (8, _, .alphaOnly): (red, green, blue, alpha) = (0, 0, 0, 0)
        case (8, .monochrome, .none): (red, green, blue, alpha) = (0, 0, 0, nil)
        case (16, .monochrome, .last), (16, .monochrome, .premultipliedLast):
            (red, green, blue, alpha) = (0, 0, 0, 1)
        case (24, .rgb, .none): (red, green, blue, alpha) = (0, 1, 2, nil)
        case (32, .rgb, .first), (32, .rgb, .premultipliedFirst), (32, .rgb, .noneSkipFirst):
            let places = isReversed ? [2, 1, 0] : [1, 2, 3]
            (red, green, blue) = (places[0], places[1], places[2])
            alpha = alphaInfo == .noneSkipFirst ? nil : isReversed ? last : 0
        case (32, .rgb, .last), (32, .rgb, .premultipliedLast), (32, .rgb, .noneSkipLast), (32, .rgb, .none):
            let places = isReversed ? [3, 2, 1] : [0, 1, 2]
            (red, green, blue) = (places[0], places[1], places[2])
            alpha = alphaInfo == .noneSkipLast || alphaInfo == .none ? nil : isReversed ? 0 : last
        default: return nil
        }
    }

    /// The position of the unused byte in a pixel of four bytes; nil if all bytes are used.
    private var unused: Int? { count == 4 && alpha == nil ? 6 - red - green - blue : nil }

    /// Converts pixels to Cairo's words. The words are premultiplied, and opaque if the pixels have no alpha.
    ///
    /// - Parameter asGray: true to replace the color by its luma.
    func read(
        _ pixels: UnsafePointer<UInt8>, count: Int, asGray: Bool, into words: UnsafeMutablePointer<UInt32>
    ) {
        let mustMix = asGray && !isGray
        for index in 0..<count {
            let pixel = pixels + index * self.count
            let opacity = alpha.map { UInt32(pixel[$0]) } ?? 255
            guard hasColor else {
                words[index] = opacity << 24
                continue
            }
            var (r, g, b) = (UInt32(pixel[red]), UInt32(pixel[green]), UInt32(pixel[blue]))
            if mustMix {
                let luma = Self.luma(r, g, b)
                (r, g, b) = (luma, luma, luma)
            }
            if !isPremultiplied, opacity < 255 {
                (r, g, b) = (Self.product(r, opacity), Self.product(g, opacity), Self.product(b, opacity))
            }
            words[index] = opacity << 24 | r << 16 | g << 8 | b
        }
    }

    /// Converts Cairo's words to pixels. An unused byte becomes 255.
    func write(
        _ words: UnsafePointer<UInt32>, count: Int, into pixels: UnsafeMutablePointer<UInt8>
    ) {
        let unused = unused
        for index in 0..<count {
            let (pixel, word) = (pixels + index * self.count, words[index])
            if hasColor {
                pixel[red] = UInt8(truncatingIfNeeded: word >> 16)
                pixel[green] = UInt8(truncatingIfNeeded: word >> 8)
                pixel[blue] = UInt8(truncatingIfNeeded: word)
            }
            if let alpha { pixel[alpha] = UInt8(truncatingIfNeeded: word >> 24) }
            if let unused { pixel[unused] = 255 }
        }
    }

    /// Returns the luma with the weights of ITU-R BT.601, rounded to 1/256. White stays white.
    static func luma(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
        (77 * red + 150 * green + 29 * blue + 128) >> 8
    }

    /// Returns a component multiplied by an opacity, rounded to the nearest integer.
    static func product(_ value: UInt32, _ opacity: UInt32) -> UInt32 { (value * opacity + 127) / 255 }
}

extension CGImage {
    /// False for an image that a context does not draw, because a side is too long or its pixels are unsupported.
    package var isDrawable: Bool { pixelBytes != nil && max(width, height) <= Cairo.longestSide }

    /// The form of the image's pixels. nil for an image that cannot be drawn, for example in CMYK or with 16 bits per
    /// component.
    var pixelBytes: PixelBytes? {
        guard bitsPerComponent == 8, !bitmapInfo.contains(.floatComponents) else { return nil }
        let isMask = bitsPerPixel == 8 || bitsPerPixel == 16
        return PixelBytes(
            bitsPerPixel: bitsPerPixel, alphaInfo: alphaInfo, byteOrder: byteOrderInfo,
            model: colorSpace?.model ?? (isMask ? .monochrome : .rgb))
    }
}
