/// The loudspeaker that a channel belongs to. The numbers are libavutil's (`AVChannel`); the first 18 are the bits of a
/// WAVE file's channel mask.
public struct ChannelPosition: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let frontLeft = ChannelPosition(rawValue: 0)
    public static let frontRight = ChannelPosition(rawValue: 1)
    public static let frontCenter = ChannelPosition(rawValue: 2)
    public static let lowFrequency = ChannelPosition(rawValue: 3)
    public static let backLeft = ChannelPosition(rawValue: 4)
    public static let backRight = ChannelPosition(rawValue: 5)
    public static let frontLeftOfCenter = ChannelPosition(rawValue: 6)
    public static let frontRightOfCenter = ChannelPosition(rawValue: 7)
    public static let backCenter = ChannelPosition(rawValue: 8)
    public static let sideLeft = ChannelPosition(rawValue: 9)
    public static let sideRight = ChannelPosition(rawValue: 10)
    public static let lowFrequency2 = ChannelPosition(rawValue: 35)
    /// No loudspeaker: an independent channel, such as one microphone of several.
    public static let discrete = ChannelPosition(rawValue: .max)

    /// FFmpeg's short names, by number.
    private static let names: [UInt8: String] = [
        0: "FL", 1: "FR", 2: "FC", 3: "LFE", 4: "BL", 5: "BR", 6: "FLC", 7: "FRC", 8: "BC", 9: "SL", 10: "SR", 11: "TC",
        12: "TFL", 13: "TFC", 14: "TFR", 15: "TBL", 16: "TBC", 17: "TBR", 29: "DL", 30: "DR", 31: "WL", 32: "WR",
        33: "SDL", 34: "SDR", 35: "LFE2", 36: "TSL", 37: "TSR", 38: "BFC", 39: "BFL", 40: "BFR", 255: "discrete",
    ]

    /// - Returns: nil if the name is not one of FFmpeg's short names.
    init?(name: String) {
        guard let number = Self.names.first(where: { $0.value == name })?.key else { return nil }
        self.init(rawValue: number)
    }

    public var description: String { Self.names[rawValue] ?? "discrete" }
}
