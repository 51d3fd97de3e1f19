import Foundation
import MediaTypes

/// What an export will do: which tracks, each in which way, with which facts about the movie. Made from what is known of the
/// asset, before any file is opened. A pure value.
struct ExportPlan: Sendable {
    enum Lane: Sendable {
        /// Samples as they are stored.
        case passthrough(AssetTrack)
        case video(AssetTrack, VideoSettings, PictureSteps)
        /// Several tracks drawn into one picture.
        case composition([AssetTrack], VideoComposition, VideoSettings, PictureSteps)
        case audio(AssetTrack, AudioSettings, TrackOutput.PCM)
        /// Several tracks heard as one.
        case mix([AssetTrack], AudioSettings, TrackOutput.PCM)

        /// The track whose language, matrix and the like the copy gets.
        var track: AssetTrack? {
            switch self {
            case .passthrough(let track), .video(let track, _, _), .audio(let track, _, _): track
            case .composition(let tracks, _, _, _), .mix(let tracks, _, _): tracks.first
            }
        }

        var isVideo: Bool { track?.mediaType == .video }
    }

    let fileType: FileType
    /// What is read: finite.
    var range: TimeRange
    /// The asset goes on behind the range.
    var cutsEnd: Bool
    var lanes: [Lane]
    let metadata: [MetadataItem]
    let creationDate: Date?
    /// In the asset's time.
    let chapters: [AssetChapter]
    /// Of the first picture of the range.
    let timecode: AssetTimecode?
    var configuration: ExportSession.Configuration
    let leftOut: [String]

    /// - Throws: `invalidSettings` for a time range or a track that the asset has not, `unsupported` for an asset with nothing
    ///   that can be exported, and for a format that the container does not hold.
    init(
        _ facts: ExportFacts, preset: ExportPreset, _ configuration: ExportSession.Configuration, fileType: FileType
    ) throws(MediaError) {
        self.fileType = fileType
        self.configuration = configuration
        let end = min(configuration.timeRange.end, max(facts.duration, .zero))
        guard configuration.timeRange.start < end || facts.duration == .zero else {
            throw MediaError(
                .invalidSettings, "cannot export from \(configuration.timeRange.start.seconds) s on",
                reason: "the film ends at \(facts.duration.seconds) s")
        }
        let range = TimeRange(start: configuration.timeRange.start, end: end)
        self.range = range
        cutsEnd = configuration.timeRange.end < facts.duration
        let choice = try TrackChoice(facts.tracks, preset: preset, configuration, fileType: fileType)
        let lanes = LanePlanner(preset: preset, configuration: configuration, fileType: fileType)
        self.lanes = try lanes.lanes(choice)
        timecode = fileType.isQuickTime ? facts.timecode?.advanced(by: range.start) : nil
        var leftOut = choice.leftOut
        if facts.timecode != nil, timecode == nil {
            leftOut.append("the timecode: .\(fileType.rawValue) has no place for it; write .mov")
        }
        self.leftOut = leftOut
        metadata = configuration.metadata ?? MetadataItem.movieItems(fromStored: facts.metadata, for: fileType)
        creationDate = facts.creationDate
        chapters = facts.chapters.compactMap { chapter in
            let part = chapter.timeRange.intersection(range)
            return part.isEmpty ? nil : AssetChapter(timeRange: part, title: chapter.title)
        }
    }
}
