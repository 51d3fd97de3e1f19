import Demuxing
import Foundation
import MediaTypes
import MovieFile

/// The values of all properties of an asset, as read from its file.
struct AssetProperties: Sendable {
    var duration: MediaTime
    var isPrecise: Bool
    var tracks: [AssetTrack]
    var metadata: [MetadataItem]
    var creationDate: Date?
    var chapters: [AssetChapter]
    var timecode: AssetTimecode?

    /// When every packet of a file without an index is read.
    enum Measuring {
        case never
        /// If the file states no duration.
        case ifUnknown
        case always
    }

    /// Reads the header, and every packet if needed. Blocks.
    ///
    /// - Throws: the errors of opening; `corruptData` if a packet to be measured cannot be read; `cancelled`.
    init(
        path: String, assetID: UUID, measuring: Measuring, isCancelled: () -> Bool
    ) throws(MediaError) {
        let demuxer = try MovieDemuxer(path: path)
        let estimate = demuxer.estimatedDuration
        var scan: PacketScan?
        if measuring == .always || (measuring == .ifUnknown && (estimate ?? .zero) <= .zero),
            !demuxer.hasCompleteIndex
        {
            scan = try PacketScan(demuxer, skipsDamage: measuring == .ifUnknown, isCancelled: isCancelled)
        }
        tracks = demuxer.tracks.compactMap { track in
            guard let mediaType = track.mediaType else { return nil }
            return AssetTrack(
                track, mediaType: mediaType, header: demuxer.trackHeaders.tracks[track.id],
                container: demuxer.container, isIndexed: demuxer.hasCompleteIndex,
                fallbackEnd: estimate, scan: scan?.tracks[track.index], assetID: assetID,
                neighbours: demuxer.tracks)
        }
        let presented = tracks.filter { $0.mediaType == .video || $0.mediaType == .audio }
        let measured = (presented.isEmpty ? tracks : presented).map(\.timeRange.end).max()
        isPrecise = scan != nil || demuxer.hasCompleteIndex
        duration = (scan == nil ? estimate : measured) ?? measured ?? .zero
        // libavformat's durations of such tracks do not follow their edits.
        if presented.contains(where: \.hasEditsOfItsOwn), let measured {
            duration = demuxer.hasCompleteIndex ? max(demuxer.headerDuration ?? measured, measured) : measured
        }
        metadata = demuxer.metadata + demuxer.covers
        creationDate = Self.date(metadata)
        timecode = AssetTimecode(demuxer.tracks, metadata: metadata)
        chapters = demuxer.chapters.map { AssetChapter(timeRange: $0.range, title: $0.title) }
    }

    /// Returns the date stored under QuickTime's key; without one, the header's creation time, which libavformat
    /// returns as ISO 8601.
    private static func date(_ metadata: [MetadataItem]) -> Date? {
        for key in [MetadataItem.creationDateKey, "creation_time", "date"] {
            guard let text = metadata.first(where: { $0.key.lowercased() == key })?.value else { continue }
            for fraction in [true, false] {
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: fraction)
                if let date = try? style.parse(text) { return date }
            }
        }
        return nil
    }
}
