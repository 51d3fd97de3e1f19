import MediaTypes
import MovieFile

/// The tracks of an asset that an export uses. A pure value.
struct TrackChoice {
    var video: [AssetTrack] = []
    var audio: [AssetTrack] = []
    /// Subtitles and captions, which pass through.
    var text: [AssetTrack] = []
    var leftOut: [String] = []

    /// Chooses the tracks.
    ///
    /// - Throws: `invalidSettings` for an unknown track id, `unsupported` if no track is left to export.
    init(
        _ tracks: [AssetTrack], preset: ExportPreset, _ configuration: ExportSession.Configuration, fileType: FileType
    ) throws(MediaError) {
        let action = "cannot export"
        let wanted = try Self.wanted(tracks, configuration.trackIDs)
        let isChosen = configuration.trackIDs != nil
        let shown = wanted.lazy.filter { $0.formatDescription != nil }.presented(.video)?.id
        let audible = wanted.filter { $0.mediaType == .audio && $0.isEnabled && $0.formatDescription != nil }
        for track in wanted where !Self.holdsChapters(track, of: tracks) {
            guard track.formatDescription != nil || track.mediaType == .timecode else {
                leaveOut(
                    track,
                    track.mediaType == .text
                        ? "subtitles are copied only from .mov and .mp4" : "this build does not support its format"
                )
                continue
            }
            switch track.mediaType {
            // A copy lacks nothing without it.
            case .video where track.isEmpty && !isChosen, .audio where track.isEmpty && !isChosen: break
            case .video where preset == .audioOnly || fileType == .m4a:
                leaveOut(track, "the output is audio only")
            case .video
            where track.id == shown || isChosen || configuration.videoComposition != nil
                || configuration.passesThrough(.video, preset):
                video.append(track)
            case .video: leaveOut(track, "only one video track is exported")
            case .audio where !isChosen && !track.isEnabled && configuration.audioMix != nil && !audible.isEmpty:
                leaveOut(track, "it is disabled, and only enabled tracks are mixed")
            case .audio where !isChosen && !track.isEnabled && configuration.leavesOutDisabledAlternates:
                if let other = audible.first(where: { $0.isAlternative(to: track) }) {
                    leaveOut(track, "it is disabled, and its alternative, track \(other.id), is exported")
                } else {
                    audio.append(track)
                }
            case .audio: audio.append(track)
            // The content of a timecode track becomes the movie's timecode.
            case .timecode: break
            case .text: takeText(track, fileType)
            case .metadata: leaveOut(track, "metadata tracks are not exported")
            }
        }
        guard !video.isEmpty || !audio.isEmpty else {
            throw MediaError(
                .unsupported, action,
                reason: tracks.isEmpty
                    ? "the asset has no tracks" : "no track is left: " + leftOut.joined(separator: "; "))
        }
    }

    private static func wanted(_ tracks: [AssetTrack], _ ids: [Int]?) throws(MediaError) -> [AssetTrack] {
        guard let ids else { return tracks }
        var wanted: [AssetTrack] = []
        for id in ids {
            guard let track = tracks.first(where: { $0.id == id }) else {
                let known = tracks.map { "\($0.id) (\($0.mediaType))" }.joined(separator: ", ")
                throw MediaError(
                    .invalidSettings, "cannot export track \(id)", reason: "no such track",
                    wayOut: "the tracks are \(known)")
            }
            wanted.append(track)
        }
        return wanted
    }

    /// Returns true for a title track that another track refers to: it is exported as chapters.
    private static func holdsChapters(_ track: AssetTrack, of tracks: [AssetTrack]) -> Bool {
        tracks.contains { $0.associations[.chapterList]?.contains(track.id) ?? false }
    }

    /// Passes a text track through, if the container can store it.
    private mutating func takeText(_ track: AssetTrack, _ fileType: FileType) {
        if let format = track.formatDescription, let refusal = ContainerRules.refusal(of: format, in: fileType) {
            leaveOut(track, refusal.reason + (refusal.wayOut.isEmpty ? "" : "; " + refusal.wayOut))
        } else {
            text.append(track)
        }
    }

    private mutating func leaveOut(_ track: AssetTrack, _ reason: String) {
        leftOut.append("track \(track.id), \(track.mediaType) (\(track.codecName)): \(reason)")
    }
}

extension AssetTrack {
    /// Returns true for tracks of the same alternate group.
    fileprivate func isAlternative(to other: AssetTrack) -> Bool {
        alternateGroup != 0 && alternateGroup == other.alternateGroup && mediaType == other.mediaType
    }
}

extension ExportSession.Configuration {
    /// Returns true if samples of a media type are passed through.
    func passesThrough(_ type: MediaType, _ preset: ExportPreset) -> Bool {
        if passesThrough.contains(type) { return true }
        guard preset == .passthrough else { return false }
        switch type {
        case .video: return videoSettings == nil && videoComposition == nil
        case .audio: return audioSettings == nil && audioMix == nil
        case .text, .timecode, .metadata: return true
        }
    }
}
