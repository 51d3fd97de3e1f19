/// What the numbers of a picture mean: primaries, transfer function, matrix and range.
///
/// The codes are those of ITU-T H.273 (as in H.264's VUI and the `colr` atom); 2 is "unspecified".
public struct ColorDescription: Sendable, Hashable, Codable {
    public var primaries: UInt8
    public var transfer: UInt8
    public var matrix: UInt8
    /// 0–255 instead of 16–235.
    public var isFullRange: Bool

    public init(primaries: UInt8 = 2, transfer: UInt8 = 2, matrix: UInt8 = 2, isFullRange: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// ITU-R BT.709: high definition.
    public static let bt709 = ColorDescription(primaries: 1, transfer: 1, matrix: 1)
    /// SMPTE 170M: standard definition, and the matrix of JPEG.
    public static let bt601 = ColorDescription(primaries: 6, transfer: 6, matrix: 6)

    public var isSpecified: Bool { primaries != 2 || transfer != 2 || matrix != 2 }
}
