import Demuxing
public import Foundation
import MediaCodecs
public import MediaTypes
import MovieFile

/// One track of an asset: what its header says. The model is AVFoundation's `AVAssetTrack`.
public struct AssetTrack: Sendable, Identifiable {
    /// The number that the file gives it (`tkhd`, Matroska's TrackNumber); its place from 1 where it gives none.
    public let id: Int
    public let mediaType: MediaType
    /// nil for a codec that this build has no name for.
    public let formatDescription: FormatDescription?
    /// Every entry of the track's sample description table, `formatDescription` first: more than one where the format changes
    /// within the track. Of other containers, and of a codec without a name, it is that one or nothing.
    public let formatDescriptions: [FormatDescription]
    /// The codec's short name, as `h264`.
    public let codecName: String
    /// The size that the track is meant to be shown in before its transform is applied, in pixels: as the track header has it
    /// (`tkhd`), else the coded size; zero for what is not shown.
    public let naturalSize: CGSize
    /// Of the pictures as they are stored, in pixels; zero for what has none.
    package let codedSize: CGSize
    /// Size in square pixels: the pixel aspect ratio applied.
    public let presentationDimensions: CGSize
    /// How pictures are to be turned or moved before they are shown.
    public let preferredTransform: AffineTransform
    /// Frames per second, the mean; 0 when unknown.
    public let nominalFrameRate: Double
    /// The shortest time from one picture to the next; `invalid` when unknown.
    public let minFrameDuration: MediaTime
    /// Bits per second; 0 when unknown.
    public let estimatedDataRate: Double
    /// ISO 639-2; nil when undetermined.
    public let languageCode: String?
    /// BCP 47; nil when the file has none.
    public let extendedLanguageTag: String?
    /// From the first sample to the end of the last. Precise where the asset's duration is.
    public let timeRange: TimeRange
    /// Ticks per second of the times in the file.
    public let naturalTimeScale: Int32
    /// To be presented unless chosen otherwise.
    public let isEnabled: Bool
    public let metadata: [MetadataItem]
    /// Tracks that this one refers to, by their ids (QTFF, "Track Reference Atoms").
    public let associations: [TrackAssociation: [Int]]
    /// Its place in the file.
    let index: Int
    let assetID: UUID
    let statesFieldOrder: Bool
    /// The file's header lists every sample.
    let isIndexed: Bool
    /// Tracks of one group other than 0 stand for each other: players choose one (QTFF, "Track Header Atoms").
    let alternateGroup: Int
    /// Where the track shows several parts of its media; empty for all others.
    private(set) var edits: [TrackEdit] = []
    /// Stands for the media of the track, without the edit list.
    private(set) var readsMedia = false
    /// All tracks of the file, for whoever opens it again.
    let neighbours: [MovieDemuxer.Track]

    /// The format as the file describes it: that pictures are whole ones goes without saying, unless it says so.
    var storedFormat: FormatDescription? {
        guard case .video(var video) = formatDescription, video.fieldOrder == .progressive, !statesFieldOrder else {
            return formatDescription
        }
        video.fieldOrder = nil
        return .video(video)
    }

    /// Its frames are two fields each.
    var hasFields: Bool { formatDescription?.video?.fieldOrder?.showsUpperFirst != nil }

    public func hasMediaCharacteristic(_ characteristic: MediaCharacteristic) -> Bool {
        switch characteristic {
        case .visual: mediaType == .video
        case .audible: mediaType == .audio
        case .legible: mediaType == .text
        }
    }
}

extension AssetTrack {
    /// libavformat does not apply the edits: it leaves out gaps between them, and all edits of a file in fragments.
    var hasEditsOfItsOwn: Bool {
        !edits.isEmpty && (!isIndexed || edits.drop { $0.mediaStart == nil }.contains { $0.mediaStart == nil })
    }

    /// The track's media alone.
    var media: AssetTrack {
        var track = self
        (track.edits, track.readsMedia) = ([], true)
        return track
    }
}

extension Composition.Track {
    /// A file's track by its edit list.
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

/// How a track reaches its audience.
public enum MediaCharacteristic: String, Sendable, Hashable, Codable, CaseIterable {
    case visual, audible, legible
}

extension AssetTrack {
    /// - Parameters:
    ///   - fallbackEnd: the movie's end, for containers that have no durations of tracks.
    ///   - scan: what reading every packet told; nil without it.
    ///   - neighbours: all tracks of the file.
    init(
        _ track: MovieDemuxer.Track, mediaType: MediaType, header: MovieTrackHeaders.Track?, container: String,
        isIndexed: Bool,
        fallbackEnd: MediaTime?, scan: PacketScan.Track?, assetID: UUID, neighbours: [MovieDemuxer.Track]
    ) {
        self.neighbours = neighbours
        id = track.id
        self.mediaType = mediaType
        // As its samples are read.
        formatDescription = track.format.map { StoredForm($0)?.format ?? $0 }
        formatDescriptions =
            formatDescription.map { first in
                [first] + (header?.descriptions.dropFirst() ?? []).map { first.described(by: $0) }
            } ?? []
        statesFieldOrder = track.statesFieldOrder
        self.isIndexed = isIndexed
        codecName = track.codecName
        index = track.index
        self.assetID = assetID
        let video = track.format?.video
        let (width, height) = (Double(video?.width ?? 0), Double(video?.height ?? 0))
        codedSize = CGSize(width: width, height: height)
        // What has no picture has no size, whatever its header says.
        if let header, header.width > 0, header.height > 0, mediaType == .video || mediaType == .text {
            naturalSize = CGSize(width: header.width, height: header.height)
        } else {
            naturalSize = codedSize
        }
        let aspect = video?.pixelAspectRatio ?? .one
        presentationDimensions = CGSize(
            width: (width * Double(aspect.numerator) / Double(max(1, aspect.denominator))).rounded(), height: height)
        // Of text libavformat does not say where it is shown.
        preferredTransform = Self.transform(mediaType == .text ? header?.matrix : track.displayMatrix)
        nominalFrameRate = mediaType == .video ? Self.number(track.averageFrameRate) : 0
        let rate = track.realFrameRate
        minFrameDuration =
            mediaType == .video && rate.numerator > 0
            ? MediaTime(value: Int64(rate.denominator), timescale: rate.numerator) : .invalid
        languageCode = track.language
        extendedLanguageTag = header?.extendedLanguageTag
        naturalTimeScale = track.timeScale
        // Matroska's "default" is advice; only QuickTime's flag switches a track off.
        isEnabled = container.hasPrefix("mov") ? track.isDefault : true
        metadata = track.metadata
        associations = header?.associations ?? [:]
        alternateGroup = header?.alternateGroup ?? 0
        let start = max(.zero, scan?.start ?? track.start ?? .zero)
        let end = scan?.end ?? track.duration.map { start + $0 } ?? fallbackEnd ?? start
        if container.hasPrefix("mov") { edits = header?.edits ?? [] }
        if let first = edits.first(where: { $0.mediaStart != nil }), let last = edits.last {
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

    /// The matrix a b u / c d v / x y w of `tkhd` (QTFF, "Matrices"): u, v and w are of no use in the plane.
    private static func transform(_ matrix: [Int32]?) -> AffineTransform {
        guard let matrix, matrix.count == 9 else { return .identity }
        func number(_ index: Int) -> CGFloat { CGFloat(matrix[index]) / 65536 }
        return AffineTransform(
            m11: number(0), m12: number(1), m21: number(3), m22: number(4), tX: number(6), tY: number(7))
    }
}
