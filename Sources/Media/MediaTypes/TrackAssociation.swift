/// The relation of one track to another: a type of the track reference atom (QTFF, "Track Reference Atoms").
public struct TrackAssociation: RawRepresentable, Sendable, Hashable {
    public var rawValue: FourCharCode
    public init(rawValue: FourCharCode) { self.rawValue = rawValue }

    /// The timecode track of a video or audio track.
    public static let timecode = TrackAssociation(rawValue: "tmcd")
    /// A text track with the titles of chapters.
    public static let chapterList = TrackAssociation(rawValue: "chap")
    /// A track that is selected together with this one.
    public static let selectionFollower = TrackAssociation(rawValue: "folw")
    /// A track of the same audio that simpler players can decode.
    public static let audioFallback = TrackAssociation(rawValue: "fall")
    /// The track that this metadata track describes.
    public static let metadataReferent = TrackAssociation(rawValue: "cdsc")
    /// A subtitle track that has only the forced subtitles of this track: those that are shown even if the user selects
    /// no subtitles.
    public static let forcedSubtitlesOnly = TrackAssociation(rawValue: "forc")
}
