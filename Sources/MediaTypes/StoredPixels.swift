/// What the pixels of a track are made of as they are stored, whatever they are decoded to.
public struct StoredPixels: Sendable, Hashable, Codable {
    /// How many samples of colour there are for those of brightness (ITU-R BT.601 and its kin).
    public enum Chroma: String, Sendable, Hashable, Codable, CaseIterable {
        case none = "4:0:0"
        case yuv410 = "4:1:0"
        case yuv411 = "4:1:1"
        case yuv420 = "4:2:0"
        case yuv422 = "4:2:2"
        case yuv440 = "4:4:0"
        case yuv444 = "4:4:4"
    }

    /// libavutil's name of the format, as `yuv420p10le`.
    public var name: String
    /// Bits of one sample of brightness, or of one colour.
    public var bitDepth: Int
    /// nil for RGB, palettes, and what has no name.
    public var chroma: Chroma?
    /// Red, green and blue, or a palette of them.
    public var isRGB: Bool
    public var hasAlpha: Bool

    public init(name: String, bitDepth: Int, chroma: Chroma? = nil, isRGB: Bool = false, hasAlpha: Bool = false) {
        self.name = name
        self.bitDepth = bitDepth
        self.chroma = chroma
        self.isRGB = isRGB
        self.hasAlpha = hasAlpha
    }
}
