import AssetIO
public import Foundation
import MediaTypes

extension AVAssetTrack: KeyValueLoading {
    var loading: LoadingStates { states.withLock { $0 } }
    func updateLoading(_ change: (inout LoadingStates) -> Void) { states.withLock { change(&$0) } }

    func loader(_ key: String) -> (@Sendable () throws -> Void)? {
        guard isAtHand(key) else { return nil }
        return {}
    }

    /// Returns true for the track's own values, because they are loaded with the track.
    func isAtHand(_ key: String) -> Bool {
        [
            "formatDescriptions", "playable", "isPlayable", "decodable", "isDecodable", "enabled", "isEnabled",
            "selfContained", "isSelfContained", "totalSampleDataLength", "timeRange", "naturalTimeScale",
            "estimatedDataRate", "languageCode", "extendedLanguageTag", "naturalSize", "preferredTransform",
            "preferredVolume", "hasAudioSampleDependencies", "canProvideSampleCursors",
            "nominalFrameRate", "minFrameDuration",
            "requiresFrameReordering", "segments", "commonMetadata", "metadata", "availableMetadataFormats",
            "availableTrackAssociationTypes", "mediaCharacteristics", "trackID", "mediaType",
        ].contains(key)
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
    public static var hasAudioSampleDependencies: AVAsyncProperty<Root, Bool> {
        .init("hasAudioSampleDependencies") { $0.hasAudioSampleDependencies }
    }
    public static var canProvideSampleCursors: AVAsyncProperty<Root, Bool> {
        .init("canProvideSampleCursors") { $0.canProvideSampleCursors }
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

/// These values are loaded with the track and returned immediately; the handlers are called once, on an internal queue.
extension AVAssetTrack {
    public func loadSegment(forTrackTime trackTime: CMTime) async throws -> AVAssetTrackSegment? {
        segment(forTrackTime: trackTime)
    }
    @preconcurrency
    public func loadSegment(
        forTrackTime trackTime: CMTime,
        completionHandler: @escaping @Sendable (AVAssetTrackSegment?, (any Error)?) -> Void
    ) {
        OffPool.queue.async { completionHandler(self.segment(forTrackTime: trackTime), nil) }
    }
    public func loadSamplePresentationTime(forTrackTime trackTime: CMTime) async throws -> CMTime {
        samplePresentationTime(forTrackTime: trackTime)
    }
    @preconcurrency
    public func loadSamplePresentationTime(
        forTrackTime trackTime: CMTime, completionHandler: @escaping @Sendable (CMTime, (any Error)?) -> Void
    ) {
        OffPool.queue.async { completionHandler(self.samplePresentationTime(forTrackTime: trackTime), nil) }
    }
    @preconcurrency
    public func loadAssociatedTracks(
        ofType trackAssociationType: AssociationType,
        completionHandler: @escaping @Sendable ([AVAssetTrack]?, (any Error)?) -> Void
    ) {
        OffPool.queue.async { completionHandler(self.associatedTracks(ofType: trackAssociationType), nil) }
    }
}
