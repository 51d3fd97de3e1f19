import AssetIO
public import Foundation
import MediaTypes

extension AVAsset: KeyValueLoading {
    func loader(_ key: String) -> (@Sendable () throws -> Void)? {
        let engine = self.engine
        switch key {
        case "duration": return { _ = try engine.loadNow(.duration) }
        case "tracks", "naturalSize", "preferredTransform", "trackGroups": return { _ = try engine.loadNow(.tracks) }
        case "metadata", "commonMetadata", "availableMetadataFormats", "lyrics":
            return { _ = try engine.loadNow(.metadata) }
        case "creationDate": return { _ = try engine.loadNow(.creationDate) }
        case "providesPreciseDurationAndTiming": return { _ = try engine.loadNow(.providesPreciseDurationAndTiming) }
        case "playable", "isPlayable", "exportable", "isExportable", "readable", "isReadable", "composable",
            "isComposable", "hasProtectedContent", "compatibleWithAirPlayVideo":
            return { _ = try engine.loadNow(.isReadable) }
        case "availableChapterLocales": return { _ = try engine.loadNow(.chapters) }
        default:
            guard isAtHand(key) else { return nil }
            return {}
        }
    }

    func isAtHand(_ key: String) -> Bool {
        [
            "preferredRate", "preferredVolume", "overallDurationHint", "minimumTimeOffsetFromLive",
            "canContainFragments", "containsFragments", "allMediaSelections",
            "availableMediaCharacteristicsWithMediaSelectionOptions",
        ].contains(key)
    }

    public func findUnusedTrackID() async throws -> CMPersistentTrackID {
        (try await load(.tracks).map(\.trackID).max() ?? 0) + 1
    }

    @preconcurrency
    public func findUnusedTrackID(
        completionHandler: @escaping @Sendable (CMPersistentTrackID, (any Error)?) -> Void
    ) {
        OffPool.queue.async {
            do {
                completionHandler((try self.loadedTracks().map(\.trackID).max() ?? 0) + 1, nil)
            } catch { completionHandler(kCMPersistentTrackID_Invalid, AVError.of(error)) }
        }
    }

    /// Returns the tracks. Blocks while they are loaded.
    func loadedTracks() throws -> [AVAssetTrack] {
        _ = try engine.loadNow(.tracks)
        return allTracks()
    }
}

extension AVPartialAsyncProperty where Root: AVAsset {
    public static var duration: AVAsyncProperty<Root, CMTime> {
        .init("duration") { CMTime(try $0.engine.loadNow(.duration)) }
    }
    public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> { .init("tracks") { try $0.loadedTracks() } }
    public static var trackGroups: AVAsyncProperty<Root, [AVAssetTrackGroup]> {
        .init("trackGroups") { $0.trackGroups }
    }
    public static var preferredRate: AVAsyncProperty<Root, Float> { .init("preferredRate") { $0.preferredRate } }
    public static var preferredVolume: AVAsyncProperty<Root, Float> { .init("preferredVolume") { $0.preferredVolume } }
    public static var preferredTransform: AVAsyncProperty<Root, CGAffineTransform> {
        .init("preferredTransform") { asset in
            _ = try asset.loadedTracks()
            return asset.preferredTransform
        }
    }
    public static var naturalSize: AVAsyncProperty<Root, CGSize> {
        .init("naturalSize") { asset in
            _ = try asset.loadedTracks()
            return asset.naturalSize
        }
    }
    public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> {
        .init("providesPreciseDurationAndTiming") { try $0.engine.loadNow(.providesPreciseDurationAndTiming) }
    }
    public static var isReadable: AVAsyncProperty<Root, Bool> {
        .init("isReadable") { try $0.engine.loadNow(.isReadable) }
    }
    public static var isPlayable: AVAsyncProperty<Root, Bool> {
        .init("isPlayable") { try $0.engine.loadNow(.isReadable) }
    }
    public static var isExportable: AVAsyncProperty<Root, Bool> {
        .init("isExportable") { try $0.engine.loadNow(.isReadable) }
    }
    public static var isComposable: AVAsyncProperty<Root, Bool> {
        .init("isComposable") { try $0.engine.loadNow(.isReadable) }
    }
    public static var hasProtectedContent: AVAsyncProperty<Root, Bool> {
        .init("hasProtectedContent") { $0.hasProtectedContent }
    }
    public static var isCompatibleWithAirPlayVideo: AVAsyncProperty<Root, Bool> {
        .init("isCompatibleWithAirPlayVideo") { $0.isCompatibleWithAirPlayVideo }
    }
    public static var overallDurationHint: AVAsyncProperty<Root, CMTime> {
        .init("overallDurationHint") { $0.overallDurationHint }
    }
    public static var canContainFragments: AVAsyncProperty<Root, Bool> {
        .init("canContainFragments") { $0.canContainFragments }
    }
    public static var minimumTimeOffsetFromLive: AVAsyncProperty<Root, CMTime> {
        .init("minimumTimeOffsetFromLive") { $0.minimumTimeOffsetFromLive }
    }
    public static var containsFragments: AVAsyncProperty<Root, Bool> {
        .init("containsFragments") { $0.containsFragments }
    }
}
