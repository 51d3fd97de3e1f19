package import MediaTypes

extension PixelFormat {
    /// Apple's code for each format, for video range and for full range.
    private static let codes: [(format: String, video: OSType, full: OSType)] = [
        ("nv12", kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange),
        ("i420", kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_420YpCbCr8PlanarFullRange),
        ("uyvy", kCVPixelFormatType_422YpCbCr8, kCVPixelFormatType_422YpCbCr8),
        ("yuyv", kCVPixelFormatType_422YpCbCr8_yuvs, kCVPixelFormatType_422YpCbCr8FullRange),
        ("bgra", kCVPixelFormatType_32BGRA, kCVPixelFormatType_32BGRA),
        ("argb", kCVPixelFormatType_32ARGB, kCVPixelFormatType_32ARGB),
        ("rgba", kCVPixelFormatType_32RGBA, kCVPixelFormatType_32RGBA),
        ("rgb24", kCVPixelFormatType_24RGB, kCVPixelFormatType_24RGB),
        ("gray8", kCVPixelFormatType_OneComponent8, kCVPixelFormatType_OneComponent8),
        ("p010", kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr10BiPlanarFullRange),
        // Apple has no code for these three formats, so the codes are our own.
        ("i422", fourCC("i422"), fourCC("I422")),
        ("i010", fourCC("i010"), fourCC("I010")),
        ("i210", fourCC("i210"), fourCC("I210")),
    ]

    /// Returns nil for a code whose frames can be neither created nor converted.
    package init?(_ code: OSType) {
        guard let entry = Self.codes.first(where: { $0.video == code || $0.full == code }) else { return nil }
        self.init(rawValue: entry.format)
    }

    /// Returns true if the code means full range; nil if the code does not specify the range, as with RGB and gray.
    package static func isFullRange(_ code: OSType) -> Bool? {
        guard let entry = codes.first(where: { $0.video == code || $0.full == code }), entry.video != entry.full else {
            return nil
        }
        return code == entry.full
    }

    package func code(isFullRange: Bool) -> OSType {
        guard let entry = Self.codes.first(where: { $0.format == rawValue }) else { return 0 }
        return isFullRange ? entry.full : entry.video
    }
}
