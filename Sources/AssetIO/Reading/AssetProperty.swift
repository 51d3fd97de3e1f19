import Demuxing
public import Foundation
public import MediaTypes

/// Something that an asset knows about itself once it was loaded: `try await asset.load(.duration)`.
public struct AssetProperty<Value: Sendable>: Sendable {
    let key: String
    /// Depends on every packet when a precise answer is asked for.
    let isMeasured: Bool
    let read: @Sendable (AssetFacts) -> Value

    init(_ key: String, isMeasured: Bool = false, _ read: @escaping @Sendable (AssetFacts) -> Value) {
        self.key = key
        self.isMeasured = isMeasured
        self.read = read
    }
}

/// How far a property has been loaded.
public enum AssetPropertyStatus<Value: Sendable>: Sendable {
    /// Nobody has asked for it.
    case unknown
    case loading
    case loaded(Value)
    case failed(MediaError)
    case cancelled
}

extension AssetProperty where Value == MediaTime {
    /// From 0 to the end of the last sample. An estimate unless the asset prefers precision.
    public static var duration: Self { AssetProperty("duration", isMeasured: true, \.duration) }
}

extension AssetProperty where Value == [AssetTrack] {
    /// Every track that is presented or refers to one that is, in the order of the file.
    public static var tracks: Self { AssetProperty("tracks", isMeasured: true, \.tracks) }
}

extension AssetProperty where Value == [MetadataItem] {
    /// Facts about the whole asset, by the names that the file or libavformat gives them, and its cover pictures.
    /// `MetadataItem.movieItems` brings them into the form of a new movie.
    public static var metadata: Self { AssetProperty("metadata", \.metadata) }
}

extension AssetProperty where Value == Date? {
    public static var creationDate: Self { AssetProperty("creationDate", \.creationDate) }
}

extension AssetProperty where Value == [AssetChapter] {
    public static var chapters: Self { AssetProperty("chapters", \.chapters) }
}

extension AssetProperty where Value == Bool {
    /// The duration comes from an index or from counting, not from bit rate and size.
    public static var providesPreciseDurationAndTiming: Self {
        AssetProperty("providesPreciseDurationAndTiming", isMeasured: true, \.isPrecise)
    }
    /// There is a track whose samples an `AssetReader` gives.
    public static var isReadable: Self {
        AssetProperty("isReadable") { $0.tracks.contains { $0.formatDescription != nil } }
    }
}

/// A stretch of an asset with a title.
public struct AssetChapter: Sendable, Hashable {
    public var timeRange: TimeRange
    public var title: String
    public init(timeRange: TimeRange, title: String) {
        self.timeRange = timeRange
        self.title = title
    }
}
