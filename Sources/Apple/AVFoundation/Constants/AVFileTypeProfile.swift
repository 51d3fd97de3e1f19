/// A standard's rules for a kind of file.
public struct AVFileTypeProfile: StringConstant {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AVFileTypeProfile {
    /// HTTP Live Streaming.
    public static let mpeg4AppleHLS = Self("MPEG4AppleHLS")
    /// The Common Media Application Format (CMAF), in which each stream has one track.
    public static let mpeg4CMAFCompliant = Self("MPEG4CMAFCompliant")
}
