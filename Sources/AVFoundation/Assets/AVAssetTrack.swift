import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// One track of an asset.
///
/// What it says was loaded with it: nothing here waits. Two of the same track are equal. Its asset must live as long as it is
/// read from.
open class AVAssetTrack: NSObject, @unchecked Sendable {
    // Unchecked: constant, or behind the lock, here and in those who inherit from it.
    private let fixed: AssetTrack?
    private let source: Asset?
    private let states = Locked(LoadingStates())
    /// Apple's is weak. A reader holds the asset that it reads, and a track alone is nothing to read from.
    open private(set) weak var asset: AVAsset?

    init(_ track: AssetTrack?, of asset: AVAsset?) {
        fixed = track
        source = asset?.engine
        self.asset = asset
        super.init()
    }

    /// nil where nothing is to be read from, as an empty track of a composition.
    var engine: AssetTrack? { fixed }
    /// What it is a track of, also when nobody holds `asset` any more.
    var sourceAsset: Asset? { source }

    open var trackID: CMPersistentTrackID { CMPersistentTrackID(clamping: engine?.id ?? 0) }
    open var mediaType: AVMediaType { engine.map { AVMediaType($0.mediaType) } ?? .video }
    /// Of `CMFormatDescription`.
    open var formatDescriptions: [Any] { descriptions }
    var descriptions: [CMFormatDescription] { engine?.formatDescription.map { [CMFormatDescription($0)] } ?? [] }

    open var isPlayable: Bool { engine?.formatDescription != nil }
    open var isDecodable: Bool { engine?.formatDescription != nil }
    open var isEnabled: Bool { engine?.isEnabled ?? false }
    open var isSelfContained: Bool { true }
    /// Bytes, by its rate and length.
    open var totalSampleDataLength: Int64 {
        let bytes = Double(estimatedDataRate) / 8 * timeRange.duration.seconds
        return bytes.isFinite && bytes > 0 && bytes < 9e18 ? Int64(bytes) : 0
    }

    open var timeRange: CMTimeRange { engine.map { CMTimeRange($0.timeRange) } ?? .invalid }
    open var naturalTimeScale: CMTimeScale { engine?.naturalTimeScale ?? 0 }
    /// Bits per second.
    open var estimatedDataRate: Float { Float(engine?.estimatedDataRate ?? 0) }

    /// ISO 639-2/T; files say it in either of the two forms.
    open var languageCode: String? { engine?.languageCode.map { LanguageCode.terminological($0) ?? $0 } }
    open var extendedLanguageTag: String? { engine?.extendedLanguageTag }

    open var naturalSize: CGSize { engine?.naturalSize ?? .zero }
    open var preferredTransform: CGAffineTransform {
        engine.map { CGAffineTransform($0.preferredTransform) } ?? .identity
    }
    open var preferredVolume: Float { 1 }
    open var hasAudioSampleDependencies: Bool { false }

    /// Frames per second.
    open var nominalFrameRate: Float { Float(engine?.nominalFrameRate ?? 0) }
    open var minFrameDuration: CMTime { engine.map { CMTime($0.minFrameDuration) } ?? .invalid }
    /// Whether pictures may be stored in another order than they are shown in; what its codec can do decides.
    open var requiresFrameReordering: Bool {
        guard let codec = engine?.formatDescription?.video?.codec else { return false }
        return [.h264, .hevc, .mpeg4].contains(codec)
    }

    /// What `segments` gives, here and in those who inherit.
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

    /// How one track refers to another.
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

extension AVAssetTrack: KeyValueLoading {
    var loading: LoadingStates { states.withLock { $0 } }
    func updateLoading(_ change: (inout LoadingStates) -> Void) { states.withLock { change(&$0) } }

    /// Everything came with the track.
    func loader(_ key: String) -> (@Sendable () throws -> Void)? {
        let known = [
            "formatDescriptions", "playable", "isPlayable", "decodable", "isDecodable", "enabled", "isEnabled",
            "selfContained", "isSelfContained", "totalSampleDataLength", "timeRange", "naturalTimeScale",
            "estimatedDataRate", "languageCode", "extendedLanguageTag", "naturalSize", "preferredTransform",
            "preferredVolume", "hasAudioSampleDependencies", "nominalFrameRate", "minFrameDuration",
            "requiresFrameReordering", "segments", "commonMetadata", "metadata", "availableMetadataFormats",
            "availableTrackAssociationTypes", "mediaCharacteristics", "trackID", "mediaType",
        ]
        guard known.contains(key) else { return nil }
        return {}
    }
}

extension AVPartialAsyncProperty where Root: AVAssetTrack {
    public static var formatDescriptions: AVAsyncProperty<Root, [CMFormatDescription]> {
        .init("formatDescriptions") { $0.descriptions }
    }
    public static var isPlayable: AVAsyncProperty<Root, Bool> { .init("isPlayable") { $0.isPlayable } }
    public static var isDecodable: AVAsyncProperty<Root, Bool> { .init("isDecodable") { $0.isDecodable } }
    public static var isEnabled: AVAsyncProperty<Root, Bool> { .init("isEnabled") { $0.isEnabled } }
    public static var isSelfContained: AVAsyncProperty<Root, Bool> { .init("isSelfContained") { $0.isSelfContained } }
    public static var totalSampleDataLength: AVAsyncProperty<Root, Int64> {
        .init("totalSampleDataLength") { $0.totalSampleDataLength }
    }
    public static var timeRange: AVAsyncProperty<Root, CMTimeRange> { .init("timeRange") { $0.timeRange } }
    public static var naturalTimeScale: AVAsyncProperty<Root, CMTimeScale> {
        .init("naturalTimeScale") { $0.naturalTimeScale }
    }
    public static var estimatedDataRate: AVAsyncProperty<Root, Float> {
        .init("estimatedDataRate") { $0.estimatedDataRate }
    }
    public static var languageCode: AVAsyncProperty<Root, String?> { .init("languageCode") { $0.languageCode } }
    public static var extendedLanguageTag: AVAsyncProperty<Root, String?> {
        .init("extendedLanguageTag") { $0.extendedLanguageTag }
    }
    public static var naturalSize: AVAsyncProperty<Root, CGSize> { .init("naturalSize") { $0.naturalSize } }
    public static var preferredTransform: AVAsyncProperty<Root, CGAffineTransform> {
        .init("preferredTransform") { $0.preferredTransform }
    }
    public static var preferredVolume: AVAsyncProperty<Root, Float> { .init("preferredVolume") { $0.preferredVolume } }
    public static var nominalFrameRate: AVAsyncProperty<Root, Float> {
        .init("nominalFrameRate") { $0.nominalFrameRate }
    }
    public static var minFrameDuration: AVAsyncProperty<Root, CMTime> {
        .init("minFrameDuration") { $0.minFrameDuration }
    }
    public static var requiresFrameReordering: AVAsyncProperty<Root, Bool> {
        .init("requiresFrameReordering") { $0.requiresFrameReordering }
    }
    public static var segments: AVAsyncProperty<Root, [AVAssetTrackSegment]> { .init("segments") { $0.segments } }
    public static var mediaCharacteristics: AVAsyncProperty<Root, [AVMediaCharacteristic]> {
        .init("mediaCharacteristics") { track in
            [.visual, .audible, .legible, .frameBased].filter { track.hasMediaCharacteristic($0) }
        }
    }
    public static var availableTrackAssociationTypes: AVAsyncProperty<Root, [AVAssetTrack.AssociationType]> {
        .init("availableTrackAssociationTypes") { track in
            track.availableTrackAssociationTypes.map { AVAssetTrack.AssociationType(rawValue: $0) }
        }
    }
}
