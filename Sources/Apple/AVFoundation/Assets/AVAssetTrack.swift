import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// One track of an asset.
///
/// The values of a track are loaded with it, so none of its members blocks. Two objects for the same track are equal.
/// The asset must exist as long as samples are read from the track.
open class AVAssetTrack: NSObject, @unchecked Sendable {
    // Unchecked: constant, or protected by the lock, here and in subclasses.
    private let fixed: AssetTrack?
    private let source: Asset?
    let states = Locked(LoadingStates())
    /// The asset. Weak, as on Apple's systems: a track alone cannot be read, and a reader retains its asset.
    open private(set) weak var asset: AVAsset?

    init(_ track: AssetTrack?, of asset: AVAsset?) {
        fixed = track
        source = asset?.engine
        self.asset = asset
        super.init()
    }

    /// The library's track; nil if there is nothing to read, for example in an empty track of a composition.
    var engine: AssetTrack? { fixed }
    /// The library's asset that contains the track. Available even after `asset` is released.
    var sourceAsset: Asset? { source }

    open var trackID: CMPersistentTrackID { CMPersistentTrackID(clamping: engine?.id ?? 0) }
    open var mediaType: AVMediaType { engine.map { AVMediaType($0.mediaType) } ?? .video }
    /// The track's `CMFormatDescription` objects.
    open var formatDescriptions: [Any] { descriptions }
    var descriptions: [CMFormatDescription] { engine?.formatDescriptions.map { CMFormatDescription($0) } ?? [] }

    open var isPlayable: Bool { engine?.formatDescription != nil }
    open var isDecodable: Bool { engine?.formatDescription != nil }
    open var isEnabled: Bool { engine?.isEnabled ?? false }
    open var isSelfContained: Bool { true }
    /// The total size of the samples in bytes, estimated from bit rate and duration.
    open var totalSampleDataLength: Int64 {
        let bytes = Double(estimatedDataRate) / 8 * timeRange.duration.seconds
        return bytes.isFinite && bytes > 0 && bytes < 9e18 ? Int64(clamping: bytes) : 0
    }

    open var timeRange: CMTimeRange { engine.map { CMTimeRange($0.timeRange) } ?? .invalid }
    open var naturalTimeScale: CMTimeScale { engine?.naturalTimeScale ?? 0 }
    /// The estimated bit rate in bits per second.
    open var estimatedDataRate: Float { Float(engine?.estimatedDataRate ?? 0) }

    /// The language as an ISO 639-2/T code. A file may store the T or the B form.
    open var languageCode: String? { engine?.languageCode.map { LanguageCode.terminological($0) ?? $0 } }
    open var extendedLanguageTag: String? { engine?.extendedLanguageTag }

    open var naturalSize: CGSize { engine?.naturalSize ?? .zero }
    open var preferredTransform: CGAffineTransform {
        engine.map { CGAffineTransform($0.preferredTransform) } ?? .identity
    }
    open var preferredVolume: Float { 1 }
    open var hasAudioSampleDependencies: Bool { false }

    /// The nominal frame rate in frames per second.
    open var nominalFrameRate: Float { Float(engine?.nominalFrameRate ?? 0) }
    open var minFrameDuration: CMTime { engine.map { CMTime($0.minFrameDuration) } ?? .invalid }
    /// True if the codec supports storing frames in another order than that in which they are shown.
    open var requiresFrameReordering: Bool {
        guard let codec = engine?.formatDescription?.video?.codec else { return false }
        return [.h264, .hevc, .mpeg4].contains(codec)
    }

    /// Returns the value of `segments`. Subclasses override this function.
    func allSegments() -> [AVAssetTrackSegment] {
        [AVAssetTrackSegment(timeMapping: CMTimeMapping(source: timeRange, target: timeRange))]
    }
    open func segment(forTrackTime trackTime: CMTime) -> AVAssetTrackSegment? {
        allSegments().first { $0.timeMapping.target.containsTime(trackTime) } ?? allSegments().last
    }
    open func samplePresentationTime(forTrackTime trackTime: CMTime) -> CMTime {
        guard let segment = segment(forTrackTime: trackTime), !segment.isEmpty else { return .invalid }
        return CMTimeMapTimeFromRangeToRange(
            trackTime, fromRange: segment.timeMapping.target, toRange: segment.timeMapping.source)
    }

    /// Always false: sample cursors are not supported.
    open var canProvideSampleCursors: Bool { false }

    open func hasMediaCharacteristic(_ mediaCharacteristic: AVMediaCharacteristic) -> Bool {
        switch mediaCharacteristic {
        case .visual: mediaType == .video
        case .audible: mediaType == .audio
        case .legible: [.text, .subtitle, .closedCaption].contains(mediaType)
        case .frameBased: mediaType == .video
        default: false
        }
    }

    open var availableTrackAssociationTypes: [String] {
        engine.map { $0.associations.keys.map { AssociationType($0).rawValue }.sorted() } ?? []
    }
    open func associatedTracks(ofType trackAssociationType: AssociationType) -> [AVAssetTrack] {
        guard let engine, let asset, let type = trackAssociationType.engine else { return [] }
        let ids = engine.associations[type] ?? []
        return asset.allTracks().filter { ids.contains(Int($0.trackID)) }
    }
    open func loadAssociatedTracks(ofType trackAssociationType: AssociationType) async throws -> [AVAssetTrack] {
        associatedTracks(ofType: trackAssociationType)
    }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAssetTrack else { return false }
        if other === self { return true }
        return type(of: other) == type(of: self) && asset != nil && other.asset === asset && other.trackID == trackID
    }
    override open var hash: Int { trackID.hashValue }

    /// The kind of relation that one track has to another.
    public struct AssociationType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let audioFallback = AssociationType(rawValue: "fall")
        public static let chapterList = AssociationType(rawValue: "chap")
        public static let forcedSubtitlesOnly = AssociationType(rawValue: "forc")
        public static let selectionFollower = AssociationType(rawValue: "folw")
        public static let timecode = AssociationType(rawValue: "tmcd")
        public static let metadataReferent = AssociationType(rawValue: "cdsc")

        var engine: TrackAssociation? { TrackAssociation(rawValue: MediaTypes.FourCharCode(rawValue)) }
        init(_ type: TrackAssociation) { self.init(rawValue: type.rawValue.description) }
    }
}
