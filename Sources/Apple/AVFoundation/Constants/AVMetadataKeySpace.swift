/// The vocabulary to which a metadata item’s key belongs.
public struct AVMetadataKeySpace: StringConstant {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AVMetadataKeySpace {
    public static let common = Self("comn")
    public static let quickTimeUserData = Self("udta")
    public static let isoUserData = Self("uiso")
    public static let quickTimeMetadata = Self("mdta")
    public static let iTunes = Self("itsk")
    public static let id3 = Self("org.id3")
    public static let icy = Self("icy")
    public static let hlsDateRange = Self("lsdr")
    public static let audioFile = Self("caaf")
}
