import AssetIO
import Foundation
import MediaTypes

/// A track of a composition: segments of other tracks, one after the other.
open class AVCompositionTrack: AVAssetTrack, @unchecked Sendable {
    // Unchecked: mutable state is protected by the core's lock.
    let core: CompositionCore
    let id: Int
    private let kind: AVMediaType

    init(_ id: Int, _ mediaType: AVMediaType, _ core: CompositionCore, of composition: AVComposition) {
        (self.id, self.core, kind) = (id, core, mediaType)
        super.init(nil, of: composition)
    }

    override var engine: AssetTrack? { core.assetTrack(id) }
    override var sourceAsset: Asset? { core.asset }

    /// The track's content; nil for a removed track.
    var content: Composition.Track? { core.composition.track(withID: id) }

    open override var trackID: CMPersistentTrackID { CMPersistentTrackID(clamping: id) }
    open override var mediaType: AVMediaType { kind }
    open override var isEnabled: Bool { content?.isEnabled ?? false }
    /// The range from the start of the composition to the end of the track.
    open override var timeRange: CMTimeRange {
        CMTimeRange(start: .zero, end: content.map { CMTime($0.segments.last?.timeRange.end ?? .zero) } ?? .zero)
    }
    open override var naturalTimeScale: CMTimeScale { core[extrasOf: id].naturalTimeScale ?? super.naturalTimeScale }
    open override var languageCode: String? { content?.languageCode ?? super.languageCode }
    open override var extendedLanguageTag: String? { content?.extendedLanguageTag ?? super.extendedLanguageTag }
    open override var preferredTransform: CGAffineTransform {
        content?.preferredTransform.map { CGAffineTransform($0) } ?? super.preferredTransform
    }
    open override var preferredVolume: Float { core[extrasOf: id].preferredVolume }
    open override func hasMediaCharacteristic(_ mediaCharacteristic: AVMediaCharacteristic) -> Bool {
        super.hasMediaCharacteristic(mediaCharacteristic)
    }

    override func allSegments() -> [AVAssetTrackSegment] { segmentObjects }
    var segmentObjects: [AVCompositionTrackSegment] { content?.segments.map { AVCompositionTrackSegment($0) } ?? [] }

    /// Returns the segment at a time. For a time after the end, returns the last segment; nil without segments.
    open override func segment(forTrackTime trackTime: CMTime) -> AVCompositionTrackSegment? {
        let segments = segmentObjects
        return segments.first { $0.timeMapping.target.containsTime(trackTime) } ?? segments.last
    }

    open override var availableTrackAssociationTypes: [String] { core[extrasOf: id].associations.keys.sorted() }
    open override func associatedTracks(ofType trackAssociationType: AssociationType) -> [AVAssetTrack] {
        let ids = core[extrasOf: id].associations[trackAssociationType.rawValue] ?? []
        return (asset?.allTracks() ?? []).filter { ids.contains($0.trackID) }
    }
}

extension AVAsynchronousKeyValueLoading where Self: AVCompositionTrack {
    public var segments: [AVCompositionTrackSegment] { segmentObjects }
}
