/// The display on which high dynamic range video was mastered (SMPTE ST 2086), in the units of the `mdcv` atom and of
/// H.264's, HEVC's and AV1's messages. A player uses these values to adapt frames to its own display.
public struct MasteringDisplay: Sendable, Hashable, Codable {
    /// A point in the CIE 1931 diagram, in steps of 0.00002.
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
    /// The maximum luminance in steps of 0.0001 cd/m².
    public var maximumLuminance: UInt32
    /// The minimum luminance in steps of 0.0001 cd/m².
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

/// The brightness of high dynamic range video in cd/m² (CTA-861.3; the `clli` atom). 0 means unknown.
public struct ContentLightLevel: Sendable, Hashable, Codable {
    /// The brightest pixel of all frames, MaxCLL.
    public var maximum: UInt16
    /// The highest average brightness of a frame, MaxFALL.
    public var maximumAverage: UInt16

    public init(maximum: UInt16, maximumAverage: UInt16) {
        self.maximum = maximum
        self.maximumAverage = maximumAverage
    }
}
