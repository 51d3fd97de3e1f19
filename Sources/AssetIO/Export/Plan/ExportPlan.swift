import Foundation
import MediaCodecs
import MediaTypes

/// What an export will do: which tracks, each in which way, with which facts about the movie. Made from what is known of the
/// asset, before any file is opened. A pure value.
struct ExportPlan: Sendable {
    enum OutputTrack: Sendable {
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

        /// Why frames of two fields become whole ones with the lines of both; nil where they do not.
        var lostFields: String? {
            switch self {
            case .video(let track, let settings, let steps):
                guard track.hasFields, !steps.deinterlaces else { return nil }
                let reason =
                    settings.fieldOrder == nil
                    ? "its frames are scaled" : VideoEncoderRules.refusalOfFields(settings)
                return reason.map { "the fields of track \(track.id): \($0); deinterlacing makes whole frames" }
            case .composition(let tracks, _, _, _):
                return tracks.first(where: \.hasFields).map { "the fields of track \($0.id): its frames are composed" }
            default: return nil
            }
        }

        /// Its pictures become those of standard range.
        var isToneMapped: Bool {
            if case .video(_, _, let steps) = self { steps.toneMapping != nil } else { false }
        }
    }

    let fileType: FileType
    /// What is expected to be read: finite. What the file's header says of its end may be wrong.
    var range: TimeRange
    /// What becomes time 0 of the movie, where that is not where reading begins.
    var sessionStart: MediaTime?
    /// Of the pictures that are encoded, those that are stored, where these are not all.
    var stored: TimeRange?
    /// The copy ends with the range; otherwise with the last sample there is, wherever that is.
    var cutsEnd: Bool
    /// The film ends where it did: pictures that a file stores behind its end, for others to lean on, are not shown by its copy
    /// either.
    private let keepsEnd: Bool
    /// Where the presentation is cut; nil: it ends with its last sample.
    var presentationEnd: MediaTime? { cutsEnd || keepsEnd ? min(range.end, stored?.end ?? range.end) : nil }
    var outputs: [OutputTrack]
    var metadata: [MetadataItem]
    let creationDate: Date?
    /// In the asset's time.
    var chapters: [AssetChapter]
    /// Of the first picture of the range.
    var timecode: AssetTimecode?
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
        // An estimate refuses nothing: what is there shows when it is read.
        guard configuration.timeRange.start < end || !facts.isPrecise || facts.duration == .zero else {
            throw MediaError(
                .invalidSettings, "cannot export from \(configuration.timeRange.start.words) on",
                reason: "the film ends at \(facts.duration.words)")
        }
        let range = TimeRange(start: configuration.timeRange.start, end: max(configuration.timeRange.start, end))
        self.range = range
        cutsEnd = configuration.timeRange.end < facts.duration
        if !facts.isPrecise, configuration.timeRange.end.isNumeric {
            self.range = configuration.timeRange
            cutsEnd = true
        }
        let choice = try TrackChoice(facts.tracks, preset: preset, configuration, fileType: fileType)
        let planner = OutputPlanner(preset: preset, configuration: configuration, fileType: fileType)
        outputs = try planner.outputs(choice)
        keepsEnd =
            facts.isPrecise && facts.duration > .zero && !choice.video.isEmpty
            && configuration.passesThrough(.video, preset)
        timecode = fileType.isQuickTime ? facts.timecode?.advanced(by: range.start) : nil
        var leftOut = choice.leftOut + outputs.compactMap(\.lostFields)
        if facts.timecode != nil, timecode == nil {
            leftOut.append("the timecode: .\(fileType.rawValue) has no place for it; write .mov")
        }
        if configuration.mapsToStandardRange, !outputs.contains(where: \.isToneMapped) {
            leftOut.append("the tone mapping: no pictures of high dynamic range are encoded")
        }
        var metadata = configuration.metadata ?? MetadataItem.movieItems(fromStored: facts.metadata, for: fileType)
        if let ledger = facts.metadata.first(where: { $0.key == MetadataItem.ledgerKey }) {
            if cutsEnd || range.start > .zero {
                leftOut.append("the ledger: it counts the whole recording")
            } else {
                metadata.append(ledger)
            }
        }
        self.leftOut = leftOut
        self.metadata = metadata
        creationDate = facts.creationDate
        chapters = facts.chapters.compactMap { chapter in
            let part = chapter.timeRange.intersection(
                TimeRange(start: range.start, end: facts.isPrecise ? range.end : configuration.timeRange.end))
            return part.isEmpty ? nil : AssetChapter(timeRange: part, title: chapter.title)
        }
    }
    /// What the reader gives: to the last sample where the end is not cut, so that nothing behind an estimate is lost and
    /// a file that was cut short is noticed. A composition ends where it says.
    func readRange(of asset: Asset) -> TimeRange {
        if cutsEnd || asset.url == nil { return range }
        return TimeRange(start: range.start, end: .positiveInfinity)
    }
}

/// What an export has to know about its asset.
struct ExportFacts: Sendable {
    var duration: MediaTime
    /// The duration was counted, not estimated.
    var isPrecise: Bool
    var tracks: [AssetTrack]
    var metadata: [MetadataItem]
    var creationDate: Date?
    var chapters: [AssetChapter]
    var timecode: AssetTimecode?

    init(_ asset: Asset) async throws(MediaError) {
        (duration, tracks, metadata) = try await asset.load(.duration, .tracks, .metadata)
        (creationDate, chapters, timecode) = try await asset.load(.creationDate, .chapters, .timecode)
        isPrecise = try await asset.load(.providesPreciseDurationAndTiming)
    }

    /// Blocks the calling thread.
    init(blocking asset: Asset, isCancelled: () -> Bool) throws(MediaError) {
        duration = try asset.loadBlocking(.duration, isCancelled: isCancelled)
        tracks = try asset.loadBlocking(.tracks, isCancelled: isCancelled)
        metadata = try asset.loadBlocking(.metadata, isCancelled: isCancelled)
        creationDate = try asset.loadBlocking(.creationDate, isCancelled: isCancelled)
        chapters = try asset.loadBlocking(.chapters, isCancelled: isCancelled)
        timecode = try asset.loadBlocking(.timecode, isCancelled: isCancelled)
        isPrecise = try asset.loadBlocking(.providesPreciseDurationAndTiming, isCancelled: isCancelled)
    }
}
