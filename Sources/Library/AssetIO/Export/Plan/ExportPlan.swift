import Foundation
import MediaCodecs
import MediaTypes

/// The plan of an export: the tracks, how each is made, and the metadata of the movie. Made from the facts of the
/// asset, before any file is opened. A pure value.
struct ExportPlan: Sendable {
    enum OutputTrack: Sendable {
        /// Samples are passed through.
        case passthrough(AssetTrack)
        case video(AssetTrack, VideoSettings, FrameSteps)
        /// Several tracks are rendered into one.
        case composition([AssetTrack], VideoComposition, VideoSettings, FrameSteps)
        case audio(AssetTrack, AudioSettings, TrackOutput.PCM)
        /// Several tracks are mixed into one.
        case mix([AssetTrack], AudioSettings, TrackOutput.PCM)

        /// The source track whose language, matrix and similar properties the output gets.
        var track: AssetTrack? {
            switch self {
            case .passthrough(let track), .video(let track, _, _), .audio(let track, _, _): track
            case .composition(let tracks, _, _, _), .mix(let tracks, _, _): tracks.first
            }
        }

        /// The reason why interlaced frames become progressive frames with the lines of both fields; nil if this does
        /// not happen.
        var lostFields: String? {
            switch self {
            case .video(let track, let settings, let steps):
                guard track.hasFields, !steps.deinterlaces else { return nil }
                let isReshaped = steps.shape.map { !$0.keepsLines } ?? false
                let reason =
                    settings.fieldOrder == nil
                    ? "its frames are \(isReshaped ? "cropped, rotated or flipped" : "scaled")"
                    : VideoEncoderRules.refusalOfFields(settings)
                return reason.map { "the fields of track \(track.id): \($0); deinterlace to get full frames" }
            case .composition(let tracks, _, _, _):
                return tracks.first(where: \.hasFields).map { "the fields of track \($0.id): its frames are composed" }
            default: return nil
            }
        }

        /// True if HDR video is converted to standard range.
        var isToneMapped: Bool {
            if case .video(_, _, let steps) = self { steps.toneMapping != nil } else { false }
        }
    }

    let fileType: FileType
    /// The time range that is expected to be read. It is finite, but its end may be wrong, because it comes from the
    /// file's header.
    var range: TimeRange
    /// The source time that becomes time 0 of the movie; nil if it is the start of the range.
    var sessionStart: MediaTime?
    /// The time range of the encoded frames that are stored; nil if all are stored.
    var stored: TimeRange?
    /// True if the output ends with the range. If false, it ends with the last sample, even if that is after the range.
    var cutsEnd: Bool
    /// True if the movie ends at the source's end. A file may store frames after its end because other frames depend on
    /// them. The output then does not show these frames either.
    private let keepsEnd: Bool
    /// The end of the presentation; nil if it ends with its last sample.
    var presentationEnd: MediaTime? { cutsEnd || keepsEnd ? min(range.end, stored?.end ?? range.end) : nil }
    var outputs: [OutputTrack]
    var metadata: [MetadataItem]
    let creationDate: Date?
    /// The chapters, in the asset's time.
    var chapters: [AssetChapter]
    /// The timecode of the first frame in the range.
    var timecode: AssetTimecode?
    var configuration: ExportSession.Configuration
    let leftOut: [String]

    /// Creates the plan.
    ///
    /// - Throws: `invalidSettings` for a time range or a track that the asset does not have; `unsupported` for an asset
    ///   without exportable tracks, and for a format that the container cannot store.
    init(
        _ facts: ExportSource, preset: ExportPreset, _ configuration: ExportSession.Configuration, fileType: FileType
    ) throws(MediaError) {
        self.fileType = fileType
        self.configuration = configuration
        let end = min(configuration.timeRange.end, max(facts.duration, .zero))
        // An estimated duration is no reason to refuse a range, because the real end is known only when the file is
        // read.
        guard configuration.timeRange.start < end || !facts.isPrecise || facts.duration == .zero else {
            throw MediaError(
                .invalidSettings, "cannot export from \(configuration.timeRange.start.words)",
                reason: "that is past the end of the movie (\(facts.duration.words))")
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
        var leftOut = choice.leftOut + outputs.compactMap(\.lostFields) + outputs.flatMap(\.lostPixels)
        leftOut += outputs.flatMap(\.lostDescriptions)
        if facts.timecode != nil, timecode == nil {
            leftOut.append("the timecode: .\(fileType.rawValue) cannot store it; use .mov")
        }
        if configuration.mapsToStandardRange, !outputs.contains(where: \.isToneMapped) {
            leftOut.append("the tone mapping: no HDR video is encoded")
        }
        if configuration.frameStage.isActive, !outputs.contains(where: { $0.videoSettings != nil }) {
            leftOut.append("the masks, the crop and the flip: no video is encoded")
        }
        var metadata = configuration.metadata ?? MetadataItem.movieItems(fromStored: facts.metadata, for: fileType)
        if let ledger = facts.metadata.first(where: { $0.key == MetadataItem.ledgerKey }) {
            if cutsEnd || range.start > .zero {
                leftOut.append(ExportLoss.dropCounts)
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
    /// Returns the range to read. If the end is not cut, the range extends to the last sample. So no sample after an
    /// estimated end is lost, and a truncated file is noticed. A composition's end is exact.
    func readRange(of asset: Asset) -> TimeRange {
        if cutsEnd || asset.url == nil { return range }
        return TimeRange(start: range.start, end: .positiveInfinity)
    }
}
