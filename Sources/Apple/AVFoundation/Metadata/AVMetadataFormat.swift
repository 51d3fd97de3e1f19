import Foundation

/// A metadata format in a file.
public struct AVMetadataFormat: StringConstant {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let quickTimeUserData = Self("com.apple.quicktime.udta")
    public static let isoUserData = Self("org.mp4ra")
    public static let quickTimeMetadata = Self("com.apple.quicktime.mdta")
    public static let iTunesMetadata = Self("com.apple.itunes")
    public static let id3Metadata = Self("org.id3")
    public static let hlsMetadata = Self("com.apple.quicktime.HLS")
    public static let unknown = Self("unknown")

    private static let spaces: [(AVMetadataFormat, AVMetadataKeySpace)] = [
        (.quickTimeUserData, .quickTimeUserData), (.isoUserData, .isoUserData),
        (.quickTimeMetadata, .quickTimeMetadata), (.iTunesMetadata, .iTunes), (.id3Metadata, .id3),
    ]

    func holds(_ item: AVMetadataItem) -> Bool {
        Self.spaces.contains { $0.0 == self && $0.1 == item.keySpace }
    }

    static func of(_ items: [AVMetadataItem]) -> [AVMetadataFormat] {
        spaces.map(\.0).filter { items.contains(where: $0.holds) }
    }
}

extension AVMetadataItem {
    /// The same item with its common identifier; nil if it has no common key.
    var asCommon: AVMetadataItem? {
        guard let key = commonKey, let copy = mutableCopy() as? AVMutableMetadataItem else { return nil }
        copy.identifier = AVMetadataIdentifier(rawValue: "comn/" + key.rawValue)
        return copy.copy() as? AVMetadataItem
    }
}
