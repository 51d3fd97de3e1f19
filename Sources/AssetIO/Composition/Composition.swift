public import Foundation
public import MediaTypes

/// A film put together from time ranges of other assets, without copying any of them. The model is AVFoundation's
/// `AVMutableComposition`, as a value: a copy that is edited leaves the other as it was.
///
/// Editing reads nothing of the media. `Asset(composition)` reads it like a file. Times begin at 0.
public struct Composition: Sendable {
    public internal(set) var tracks: [Track] = []
    /// Stretches with a title, by their start. Editing the whole composition moves them; editing one track does not.
    public var chapters: [AssetChapter] = []
    public var metadata: [MetadataItem] = []
    public var creationDate: Date?
    /// Of its first picture. Editing leaves it alone.
    public var timecode: AssetTimecode?
    var lastID = 0

    public init() {}

    /// The end of the longest track.
    public var duration: MediaTime { tracks.map(\.timeRange.end).max() ?? .zero }

    /// Adds a track with nothing in it. Until something is, the asset made of the composition has no such track.
    ///
    /// - Returns: the number that the track goes by, here and in the asset.
    /// - Throws: `unsupported` for what is neither video nor audio.
    @discardableResult
    public mutating func addTrack(mediaType: MediaType) throws(MediaError) -> Track.ID {
        guard mediaType == .video || mediaType == .audio else {
            throw MediaError(
                .unsupported, "cannot add a track to the composition",
                reason: "a composition has tracks of video and audio, not of \(mediaType)",
                wayOut: mediaType == .text ? "chapters go into `chapters`" : "")
        }
        lastID += 1
        tracks.append(Track(id: lastID, mediaType: mediaType))
        return lastID
    }

    /// - Throws: `invalidSettings` for an id that no track has.
    public mutating func removeTrack(_ id: Track.ID) throws(MediaError) {
        tracks.remove(at: try index(of: id, "cannot remove track \(id)"))
    }

    /// Changes what a track says about itself.
    ///
    /// - Throws: `invalidSettings` for an id that no track has.
    public mutating func configureTrack(_ id: Track.ID, _ change: (inout Track) -> Void) throws(MediaError) {
        change(&tracks[try index(of: id, "cannot configure track \(id)")])
    }

    public func track(withID id: Track.ID) -> Track? { tracks.first { $0.id == id } }

    /// The assets that it is made of, each once.
    var assets: [Asset] {
        var known: Set<UUID> = []
        return tracks.flatMap(\.segments).compactMap(\.source?.asset).filter { known.insert($0.id).inserted }
    }

    func index(of id: Track.ID, _ action: String) throws(MediaError) -> Int {
        guard let index = tracks.firstIndex(where: { $0.id == id }) else {
            throw MediaError(.invalidSettings, action, reason: "the composition has no track \(id)")
        }
        return index
    }
}
