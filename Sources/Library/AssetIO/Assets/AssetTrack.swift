import Demuxing
public import Foundation
import MediaCodecs
public import MediaTypes
import MovieFile

/// One track of an asset, as described by its header. Modeled on AVFoundation's `AVAssetTrack`.
public struct AssetTrack: Sendable, Identifiable {
    /// The track number in the file (`tkhd`, Matroska's TrackNumber). If there is none, the track's position, counted
    /// from 1.
    public let id: Int
    public let mediaType: MediaType
    /// The format; nil for a codec that this library does not know.
    public let formatDescription: FormatDescription?
    /// All entries of the track's sample description table, `formatDescription` first. There are several if the format
    /// changes within the track. In other containers, and for an unknown codec, the array has one entry or none.
    public let formatDescriptions: [FormatDescription]
    /// The codec's short name, such as `h264`.
    public let codecName: String
    /// The intended display size in pixels, before the transform is applied: the size in the track header (`tkhd`), or
    /// else the coded size. Zero for a track that is not shown.
    public let naturalSize: CGSize
    /// The size of the stored frames in pixels; zero for a track without frames.
    package let codedSize: CGSize
    /// The size in square pixels: the pixel aspect ratio is applied.
    public let presentationDimensions: CGSize
    /// The rotation or shift to apply to frames before they are shown.
    public let preferredTransform: AffineTransform
    /// The mean number of frames per second; 0 if unknown.
    public let nominalFrameRate: Double
    /// The shortest time from one frame to the next; `invalid` if unknown.
    public let minFrameDuration: MediaTime
    /// The bits per second; 0 if unknown.
    public let estimatedDataRate: Double
    /// The language as ISO 639-2 code; nil if undetermined.
    public let languageCode: String?
    /// The language as BCP 47 tag; nil if the file has none.
    public let extendedLanguageTag: String?
    /// The time from the first sample to the end of the last. It is precise if the asset's duration is precise.
    public let timeRange: TimeRange
    /// Ticks per second of the times in the file.
    public let naturalTimeScale: Int32
    /// True if players present the track by default.
    public let isEnabled: Bool
    public let metadata: [MetadataItem]
    /// The ids of tracks that this one refers to (QTFF, "Track Reference Atoms").
    public let associations: [TrackAssociation: [Int]]
    /// The index of the track in the file.
    let index: Int
    let assetID: UUID
    let statesFieldOrder: Bool
    /// The first entry of the track's sample description table, as it is stored; nil if the container has none, or if
    /// samples are read in another form.
    let firstEntry: StoredEntry?
    /// True if the file's header lists every sample.
    let isIndexed: Bool
    /// The alternate group: tracks of one group other than 0 are alternatives, of which players choose one (QTFF,
    /// "Track Header Atoms").
    package let alternateGroup: Int
    /// The edits, if the track shows several parts of its media; otherwise empty.
    private(set) var edits: [TrackEdit] = []
    /// The edits of a track that shows one part of its media, and hides media beside it; otherwise empty. libavformat
    /// applies them when the track is decoded, but also returns the hidden samples.
    private(set) var hidingEdits: [TrackEdit] = []
    /// True if the track is read without its edit list: all media, in the order in which it is stored.
    private(set) var readsMedia = false
    /// True if the file's header lists no sample of the track.
    let isEmpty: Bool
    /// The descriptions of the frames that a copy lacks.
    let uncopied: [UncopiedDescription]
    /// All tracks of the file, so that it can be opened again without analyzing it.
    let neighbours: [MovieDemuxer.Track]

    /// The format as the file describes it. Its field order is nil if the file states none. `formatDescription` has the
    /// default, progressive, in that case.
    var storedFormat: FormatDescription? {
        guard case .video(var video) = formatDescription, video.fieldOrder == .progressive, !statesFieldOrder else {
            return formatDescription
        }
        video.fieldOrder = nil
        return .video(video)
    }

    /// The format for a copy whose header describes the track with the same bytes as this file.
    ///
    /// `storedFormat` is not exact enough for that: libavformat adds values that only the frames have, such as the
    /// color in a camera's parameter sets.
    var exactFormat: FormatDescription? {
        guard let firstEntry else { return storedFormat }
        switch storedFormat {
        case .video(var video):
            video.storedEntry = firstEntry
            return .video(video)
        case .audio(var audio) where audio.pcm == nil:
            audio.storedEntry = firstEntry
            return .audio(audio)
        default: return storedFormat
        }
    }

    /// True if the track's frames consist of two fields.
    var hasFields: Bool { formatDescription?.video?.fieldOrder?.showsUpperFirst != nil }

    public func hasMediaCharacteristic(_ characteristic: MediaCharacteristic) -> Bool {
        switch characteristic {
        case .visual: mediaType == .video
        case .audible: mediaType == .audio
        case .legible: mediaType == .text
        }
    }
}

extension Sequence<AssetTrack> {
    /// Returns the track of a type that is presented if only one is: the first enabled one with samples, else the first
    /// one with samples, else the first one.
    package func presented(_ type: MediaType) -> AssetTrack? {
        var (withSamples, first): (AssetTrack?, AssetTrack?)
        for track in self where track.mediaType == type {
            if track.isEnabled && !track.isEmpty { return track }
            if !track.isEmpty { withSamples = withSamples ?? track }
            first = first ?? track
        }
        return withSamples ?? first
    }
}

extension AssetTrack {
    /// True if libavformat does not apply all edits of the track. It ignores gaps between edits, and all edits of a
    /// fragmented file.
    var hasEditsOfItsOwn: Bool {
        !edits.isEmpty && (!isIndexed || edits.drop { $0.mediaStart == nil }.contains { $0.mediaStart == nil })
    }

    /// True if the library applies the edits itself, segment by segment. This is true for all video if frames are read
    /// to be shown. The reason is that libavformat fails if frames are stored out of order: at an edit, it returns them
    /// with wrong times, twice or not at all.
    func isReadByEdits(forShownFrames isShown: Bool) -> Bool {
        hasEditsOfItsOwn || (isShown && mediaType == .video && !edits.isEmpty)
    }

    /// This track without its edit list. It has all media of the track, at the media's own times.
    var media: AssetTrack {
        var track = self
        (track.edits, track.hidingEdits, track.readsMedia) = ([], [], true)
        return track
    }
}

extension Composition.Track {
    /// Creates the track that a file's edit list describes.
    init(of track: AssetTrack, in asset: Asset) {
        self.init(id: track.id, mediaType: track.mediaType)
        var segments = track.edits.map { edit in
            Composition.Segment(
                timeRange: edit.target,
                source: edit.media.map { Composition.Source(asset: asset, track: track.media, timeRange: $0) })
        }
        if let first = segments.first, first.timeRange.start > .zero {
            segments.insert(Composition.Segment(timeRange: TimeRange(start: .zero, end: first.timeRange.start)), at: 0)
        }
        list.replaceAll(with: segments)
    }
}

/// A kind of content that a track presents: visual, audible or legible.
public enum MediaCharacteristic: String, Sendable, Hashable, Codable, CaseIterable {
    case visual, audible, legible
}

extension AssetTrack {
    /// - Parameters:
    ///   - fallbackEnd: the movie's end, for containers without track durations.
    ///   - scan: the result of reading every packet; nil without it.
    ///   - neighbors: all tracks of the file.
    init(
        _ track: MovieDemuxer.Track, mediaType: MediaType, header: MovieTrackHeaders.Track?, container: String,
        isIndexed: Bool,
        fallbackEnd: MediaTime?, scan: PacketScan.Track?, assetID: UUID, neighbours: [MovieDemuxer.Track]
    ) {
        self.neighbours = neighbours
        id = track.id
        self.mediaType = mediaType
        // The format in which the track's samples are read.
        formatDescription = track.format.map { StoredForm($0)?.format ?? $0 }
        formatDescriptions =
            formatDescription.map { first in
                [first] + (header?.descriptions.dropFirst() ?? []).map { first.described(by: $0) }
            } ?? []
        statesFieldOrder = track.statesFieldOrder
        (isEmpty, uncopied) = (track.isEmpty, track.uncopied)
        firstEntry = track.format.flatMap { StoredForm($0) } == nil ? track.firstEntry : nil
        self.isIndexed = isIndexed
        codecName = track.codecName
        index = track.index
        self.assetID = assetID
        let video = track.format?.video
        let (width, height) = (Double(video?.width ?? 0), Double(video?.height ?? 0))
        codedSize = CGSize(width: width, height: height)
        // A track without frames has no size, whatever its header states.
        if let header, header.width > 0, header.height > 0, mediaType == .video || mediaType == .text {
            naturalSize = CGSize(width: header.width, height: header.height)
        } else {
            naturalSize = codedSize
        }
        let aspect = video?.pixelAspectRatio ?? .one
        presentationDimensions = CGSize(
            width: (width * Double(aspect.numerator) / Double(max(1, aspect.denominator))).rounded(), height: height)
        // libavformat does not report the position of text.
        preferredTransform = Self.transform(mediaType == .text ? header?.matrix : track.displayMatrix)
        nominalFrameRate = mediaType == .video ? Self.number(track.averageFrameRate) : 0
        let rate = track.realFrameRate
        minFrameDuration =
            mediaType == .video && rate.numerator > 0
            ? MediaTime(value: Int64(rate.denominator), timescale: rate.numerator) : .invalid
        languageCode = track.language
        extendedLanguageTag = header?.extendedLanguageTag
        naturalTimeScale = track.timeScale
        // Matroska's "default" is only a hint; QuickTime's flag disables a track.
        isEnabled = container.hasPrefix("mov") ? track.isDefault : true
        metadata = track.metadata
        associations = header?.associations ?? [:]
        alternateGroup = header?.alternateGroup ?? 0
        let start = max(.zero, scan?.start ?? track.start ?? .zero)
        let end = scan?.end ?? track.duration.map { start + $0 } ?? fallbackEnd ?? start
        if container.hasPrefix("mov") { (edits, hidingEdits) = (header?.edits ?? [], header?.hidingEdits ?? []) }
        let known = edits.isEmpty ? hidingEdits : edits
        if let first = known.first(where: { $0.mediaStart != nil }), let last = known.last {
            timeRange = TimeRange(start: first.target.start, end: last.target.end)
        } else {
            timeRange = TimeRange(start: start, end: max(start, end))
        }
        if track.bitRate > 0 {
            estimatedDataRate = Double(track.bitRate)
        } else if let scan, timeRange.duration > .zero {
            estimatedDataRate = Double(scan.byteCount) * 8 / timeRange.duration.seconds
        } else {
            estimatedDataRate = 0
        }
    }

    private static func number(_ ratio: Ratio) -> Double {
        ratio.denominator > 0 ? Double(ratio.numerator) / Double(ratio.denominator) : 0
    }

    /// Converts the matrix a b u / c d v / x y w of `tkhd` (QTFF, "Matrices"): u, v and w are not used for flat images.
    private static func transform(_ matrix: [Int32]?) -> AffineTransform {
        guard let matrix, matrix.count == 9 else { return .identity }
        func number(_ index: Int) -> CGFloat { CGFloat(matrix[index]) / 65536 }
        return AffineTransform(
            m11: number(0), m12: number(1), m21: number(3), m22: number(4), tX: number(6), tY: number(7))
    }
}
