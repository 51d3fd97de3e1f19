// The description of conversions between Y'CbCr and RGB.

/// A layout of Y'CbCr.
public struct vImageYpCbCrType: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// A layout with three planes: the pixel formats y420 and f420.
public let kvImage420Yp8_Cb8_Cr8 = vImageYpCbCrType(rawValue: 3)
/// A layout with two planes: the pixel formats 420v and 420f.
public let kvImage420Yp8_CbCr8 = vImageYpCbCrType(rawValue: 4)

/// A layout of RGB.
public struct vImageARGBType: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// Four 8-bit components.
public let kvImageARGB8888 = vImageARGBType(rawValue: 0)

/// The numbers that represent black, white and the extremes of chroma.
public struct vImage_YpCbCrPixelRange: Sendable {
    /// The luma of black.
    public var Yp_bias: Int32
    /// The chroma of gray.
    public var CbCr_bias: Int32
    /// The luma of white.
    public var YpRangeMax: Int32
    /// The largest chroma of a color.
    public var CbCrRangeMax: Int32
    /// The largest luma that is written.
    public var YpMax: Int32
    /// The smallest luma that is written.
    public var YpMin: Int32
    /// The largest chroma that is written.
    public var CbCrMax: Int32
    /// The smallest chroma that is written.
    public var CbCrMin: Int32

    public init() {
        self.init(
            Yp_bias: 0, CbCr_bias: 0, YpRangeMax: 0, CbCrRangeMax: 0, YpMax: 0, YpMin: 0, CbCrMax: 0, CbCrMin: 0)
    }

    public init(
        Yp_bias: Int32, CbCr_bias: Int32, YpRangeMax: Int32, CbCrRangeMax: Int32, YpMax: Int32, YpMin: Int32,
        CbCrMax: Int32, CbCrMin: Int32
    ) {
        self.Yp_bias = Yp_bias
        self.CbCr_bias = CbCr_bias
        self.YpRangeMax = YpRangeMax
        self.CbCrRangeMax = CbCrRangeMax
        self.YpMax = YpMax
        self.YpMin = YpMin
        self.CbCrMax = CbCrMax
        self.CbCrMin = CbCrMin
    }

    /// Returns the distance from black to white, and the distance from gray to the largest chroma.
    func distances() throws -> (luma: Float, chroma: Float) {
        let luma = Float(YpRangeMax) - Float(Yp_bias)
        let chroma = Float(CbCrRangeMax) - Float(CbCr_bias)
        guard luma != 0, chroma != 0 else { throw vImage.Error.invalidParameter }
        return (luma, chroma)
    }
}

/// The factors from luma (0 to 1) and chroma (−0.5 to 0.5) to red, green and blue.
public struct vImage_YpCbCrToARGBMatrix: Sendable {
    public var Yp: Float
    public var Cr_R: Float
    public var Cr_G: Float
    public var Cb_G: Float
    public var Cb_B: Float

    public init() { self.init(Yp: 0, Cr_R: 0, Cr_G: 0, Cb_G: 0, Cb_B: 0) }

    public init(Yp: Float, Cr_R: Float, Cr_G: Float, Cb_G: Float, Cb_B: Float) {
        self.Yp = Yp
        self.Cr_R = Cr_R
        self.Cr_G = Cr_G
        self.Cb_G = Cb_G
        self.Cb_B = Cb_B
    }

    /// Creates the matrix of a standard from the weights of red and blue in the standard's luma.
    fileprivate init(red: Double, blue: Double) {
        let green = 1 - red - blue
        self.init(
            Yp: 1, Cr_R: Float(2 - 2 * red), Cr_G: Float(-red * (2 - 2 * red) / green),
            Cb_G: Float(-blue * (2 - 2 * blue) / green), Cb_B: Float(2 - 2 * blue))
    }
}

/// The factors from red, green and blue (0 to 1) to luma and chroma.
public struct vImage_ARGBToYpCbCrMatrix: Sendable {
    public var R_Yp: Float
    public var G_Yp: Float
    public var B_Yp: Float
    public var R_Cb: Float
    public var G_Cb: Float
    /// The factor from blue to Cb. The factor from red to Cr is the same.
    public var B_Cb_R_Cr: Float
    public var G_Cr: Float
    public var B_Cr: Float

    public init() { self.init(R_Yp: 0, G_Yp: 0, B_Yp: 0, R_Cb: 0, G_Cb: 0, B_Cb_R_Cr: 0, G_Cr: 0, B_Cr: 0) }

    public init(
        R_Yp: Float, G_Yp: Float, B_Yp: Float, R_Cb: Float, G_Cb: Float, B_Cb_R_Cr: Float, G_Cr: Float, B_Cr: Float
    ) {
        self.R_Yp = R_Yp
        self.G_Yp = G_Yp
        self.B_Yp = B_Yp
        self.R_Cb = R_Cb
        self.G_Cb = G_Cb
        self.B_Cb_R_Cr = B_Cb_R_Cr
        self.G_Cr = G_Cr
        self.B_Cr = B_Cr
    }

    /// Creates the matrix of a standard from the weights of red and blue in the standard's luma.
    fileprivate init(red: Double, blue: Double) {
        let green = 1 - red - blue
        self.init(
            R_Yp: Float(red), G_Yp: Float(green), B_Yp: Float(blue), R_Cb: Float(-red / (2 - 2 * blue)),
            G_Cb: Float(-green / (2 - 2 * blue)), B_Cb_R_Cr: 0.5, G_Cr: Float(-green / (2 - 2 * red)),
            B_Cr: Float(-blue / (2 - 2 * red)))
    }
}

// As on Apple's systems, these constants are pointers. Their memory is never changed or freed.

/// The matrix from BT.601 to RGB.
public nonisolated(unsafe) let kvImage_YpCbCrToARGBMatrix_ITU_R_601_4: UnsafePointer<vImage_YpCbCrToARGBMatrix>! =
    kept(vImage_YpCbCrToARGBMatrix(red: 0.299, blue: 0.114))
/// The matrix from BT.709 to RGB.
public nonisolated(unsafe) let kvImage_YpCbCrToARGBMatrix_ITU_R_709_2: UnsafePointer<vImage_YpCbCrToARGBMatrix>! =
    kept(vImage_YpCbCrToARGBMatrix(red: 0.2126, blue: 0.0722))
/// The matrix from RGB to BT.601.
public nonisolated(unsafe) let kvImage_ARGBToYpCbCrMatrix_ITU_R_601_4: UnsafePointer<vImage_ARGBToYpCbCrMatrix>! =
    kept(vImage_ARGBToYpCbCrMatrix(red: 0.299, blue: 0.114))
/// The matrix from RGB to BT.709.
public nonisolated(unsafe) let kvImage_ARGBToYpCbCrMatrix_ITU_R_709_2: UnsafePointer<vImage_ARGBToYpCbCrMatrix>! =
    kept(vImage_ARGBToYpCbCrMatrix(red: 0.2126, blue: 0.0722))

private func kept<T>(_ value: T) -> UnsafePointer<T> {
    let pointer = UnsafeMutablePointer<T>.allocate(capacity: 1)
    pointer.initialize(to: value)
    return UnsafePointer(pointer)
}

/// Throws an error if one of the layouts is not supported.
func requireConversion(_ ypCbCr: vImageYpCbCrType, _ argb: vImageARGBType) throws {
    let isKnown = ypCbCr == kvImage420Yp8_CbCr8 || ypCbCr == kvImage420Yp8_Cb8_Cr8
    guard isKnown, argb == kvImageARGB8888 else { throw vImage.Error.unsupportedConversion }
}
