/// The screen on which pictures of high dynamic range were made (SMPTE ST 2086), in the units of the `mdcv` atom and of
/// H.264's, HEVC's and AV1's messages. A player fits the pictures to its own screen by it.
public struct MasteringDisplay: Sendable, Hashable, Codable {
    /// A place in the CIE 1931 diagram, in steps of 0.00002.
    public struct Chromaticity: Sendable, Hashable, Codable {
        public var x: UInt16
        public var y: UInt16
        public init(x: UInt16, y: UInt16) {
            self.x = x
            self.y = y
        }
    }

    public var red: Chromaticity
    public var green: Chromaticity
    public var blue: Chromaticity
    public var whitePoint: Chromaticity
    /// In steps of 0.0001 cd/m².
    public var maximumLuminance: UInt32
    /// In steps of 0.0001 cd/m².
    public var minimumLuminance: UInt32

    public init(
        red: Chromaticity, green: Chromaticity, blue: Chromaticity, whitePoint: Chromaticity, maximumLuminance: UInt32,
        minimumLuminance: UInt32
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.whitePoint = whitePoint
        self.maximumLuminance = maximumLuminance
        self.minimumLuminance = minimumLuminance
    }
}

/// How bright pictures of high dynamic range become, in cd/m² (CTA-861.3; the `clli` atom). 0: unknown.
public struct ContentLightLevel: Sendable, Hashable, Codable {
    /// Of the brightest pixel of all, MaxCLL.
    public var maximum: UInt16
    /// Of the picture that is brightest on average, MaxFALL.
    public var maximumAverage: UInt16

    public init(maximum: UInt16, maximumAverage: UInt16) {
        self.maximum = maximum
        self.maximumAverage = maximumAverage
    }
}
