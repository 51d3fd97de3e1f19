/// How one track refers to another: a type of the track reference atom (QTFF, "Track Reference Atoms").
public struct TrackAssociation: RawRepresentable, Sendable, Hashable {
    public var rawValue: FourCharCode
    public init(rawValue: FourCharCode) { self.rawValue = rawValue }

    /// A video or audio track's timecode track.
    public static let timecode = TrackAssociation(rawValue: "tmcd")
    /// A text track with the titles of chapters.
    public static let chapterList = TrackAssociation(rawValue: "chap")
    /// A track that is chosen together with this one.
    public static let selectionFollower = TrackAssociation(rawValue: "folw")
    /// A track of the same sound that simpler players can decode.
    public static let audioFallback = TrackAssociation(rawValue: "fall")
    /// The track that this metadata track describes.
    public static let metadataReferent = TrackAssociation(rawValue: "cdsc")
    /// The subtitles that are shown when no others are asked for.
    public static let forcedSubtitlesOnly = TrackAssociation(rawValue: "forc")
}
