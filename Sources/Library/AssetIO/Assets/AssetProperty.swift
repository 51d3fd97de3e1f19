import Demuxing
public import Foundation
public import MediaTypes

/// A property of an asset that can be loaded: `try await asset.load(.duration)`.
public struct AssetProperty<Value: Sendable>: Sendable {
    let key: String
    /// True if the precise value can only be computed from all packets.
    let isMeasured: Bool
    let read: @Sendable (AssetProperties) -> Value

    init(_ key: String, isMeasured: Bool = false, _ read: @escaping @Sendable (AssetProperties) -> Value) {
        self.key = key
        self.isMeasured = isMeasured
        self.read = read
    }
}

/// The loading status of a property.
public enum AssetPropertyStatus<Value: Sendable>: Sendable {
    /// The property has not been requested.
    case unknown
    case loading
    case loaded(Value)
    case failed(MediaError)
    case cancelled
}

extension AssetProperty where Value == MediaTime {
    /// The time from 0 to the end of the last sample. It is an estimate unless the asset was created with
    /// `prefersPreciseDurationAndTiming`.
    public static var duration: Self { AssetProperty("duration", isMeasured: true, \.duration) }
}

extension AssetProperty where Value == [AssetTrack] {
    /// All tracks that are presented or that a presented track refers to, in the order of the file.
    public static var tracks: Self { AssetProperty("tracks", isMeasured: true, \.tracks) }
}

extension AssetProperty where Value == [MetadataItem] {
    /// Metadata of the entire asset, with the keys of the file or of libavformat, and its cover images.
    /// `MetadataItem.movieItems` converts them to the form of a new movie.
    public static var metadata: Self { AssetProperty("metadata", \.metadata) }
}

extension AssetProperty where Value == Date? {
    public static var creationDate: Self { AssetProperty("creationDate", \.creationDate) }
}

extension AssetProperty where Value == [AssetChapter] {
    public static var chapters: Self { AssetProperty("chapters", \.chapters) }
}

extension AssetProperty where Value == Bool {
    /// True if the duration comes from an index or from counting, not from bit rate and size.
    public static var providesPreciseDurationAndTiming: Self {
        AssetProperty("providesPreciseDurationAndTiming", isMeasured: true, \.isPrecise)
    }
    /// True if there is a track whose samples an `AssetReader` can return.
    public static var isReadable: Self {
        AssetProperty("isReadable") { $0.tracks.contains { $0.formatDescription != nil } }
    }
}

/// A titled time range of an asset.
public struct AssetChapter: Sendable, Hashable {
    public var timeRange: TimeRange
    public var title: String
    public init(timeRange: TimeRange, title: String) {
        self.timeRange = timeRange
        self.title = title
    }
}
