import Dispatch
import Foundation
import MediaTypes
import RealTime

/// The asset of an export, with the properties that an export needs.
struct ExportSource: Sendable {
    var duration: MediaTime
    /// True if the duration was counted, not estimated.
    var isPrecise: Bool
    var tracks: [AssetTrack]
    var metadata: [MetadataItem]
    var creationDate: Date?
    var chapters: [AssetChapter]
    var timecode: AssetTimecode?

    init(_ asset: Asset) async throws(MediaError) {
        let result = await DispatchQueue(label: "recorder.export").cancellableResult { isCancelled in
            Result { () throws(MediaError) in try ExportSource(blocking: asset, isCancelled: isCancelled) }
        }
        self = try result.get()
    }

    /// Loads the properties. Blocks the calling thread.
    init(blocking asset: Asset, isCancelled: () -> Bool) throws(MediaError) {
        duration = try asset.loadNow(.duration, isCancelled: isCancelled)
        tracks = try asset.loadNow(.tracks, isCancelled: isCancelled)
        metadata = try asset.loadNow(.metadata, isCancelled: isCancelled)
        creationDate = try asset.loadNow(.creationDate, isCancelled: isCancelled)
        chapters = try asset.loadNow(.chapters, isCancelled: isCancelled)
        timecode = try asset.loadNow(.timecode, isCancelled: isCancelled)
        isPrecise = try asset.loadNow(.providesPreciseDurationAndTiming, isCancelled: isCancelled)
    }
}
