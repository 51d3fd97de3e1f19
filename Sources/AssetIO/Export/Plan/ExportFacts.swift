import Foundation
import MediaTypes

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
}
