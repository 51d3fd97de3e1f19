public import Foundation
public import MediaTypes

/// A movie composed of time ranges of other assets, without copying any of them. Modeled on AVFoundation's
/// `AVMutableComposition`, but a value: editing a copy does not change the original.
///
/// Editing reads no media. An `Asset` created from the composition is read like a file. Times begin at 0.
public struct Composition: Sendable {
    public internal(set) var tracks: [Track] = []
    /// Titled time ranges, ordered by start. Edits of the entire composition move the chapters; edits of one track do
    /// not.
    public var chapters: [AssetChapter] = []
    public var metadata: [MetadataItem] = []
    public var creationDate: Date?
    /// The timecode of the first frame. Editing does not change it.
    public var timecode: AssetTimecode?
    var lastID = 0

    public init() {}

    /// The end of the longest track.
    public var duration: MediaTime { tracks.map(\.timeRange.end).max() ?? .zero }

    /// Adds an empty track. An asset made of the composition does not contain empty tracks.
    ///
    /// - Returns: the track's id, here and in the asset.
    /// - Throws: `unsupported` for media types other than video and audio.
    @discardableResult
    public mutating func addTrack(mediaType: MediaType) throws(MediaError) -> Track.ID {
        guard mediaType == .video || mediaType == .audio else {
            throw MediaError(
                .unsupported, "cannot add a track to the composition",
                reason: "a composition has only video and audio tracks, not \(mediaType)",
                wayOut: mediaType == .text ? "add chapters to `chapters`" : "")
        }
        lastID += 1
        tracks.append(Track(id: lastID, mediaType: mediaType))
        return lastID
    }

    /// Removes a track.
    ///
    /// - Throws: `invalidSettings` for an unknown track id.
    public mutating func removeTrack(_ id: Track.ID) throws(MediaError) {
        tracks.remove(at: try index(of: id, "cannot remove track \(id)"))
    }

    /// Changes the properties of a track.
    ///
    /// - Throws: `invalidSettings` for an unknown track id.
    public mutating func configureTrack(_ id: Track.ID, _ change: (inout Track) -> Void) throws(MediaError) {
        change(&tracks[try index(of: id, "cannot configure track \(id)")])
    }

    public func track(withID id: Track.ID) -> Track? { tracks.first { $0.id == id } }

    /// The assets that the composition is made of, each once.
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
