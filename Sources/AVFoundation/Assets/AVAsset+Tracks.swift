import AssetIO
import Foundation

// Those who inherit from an asset have tracks of a class of their own, and Swift lets nobody override a property by an array of
// another class. So these stand in extensions, of which the one for the nearest class counts.

extension AVAsynchronousKeyValueLoading where Self: AVAsset {
    /// Blocks the calling thread until the file's header was read; empty for a file that cannot be.
    public var tracks: [AVAssetTrack] { allTracks(for: "tracks") }
    public func track(withTrackID trackID: CMPersistentTrackID) -> AVAssetTrack? {
        tracks.first { $0.trackID == trackID }
    }
    public func tracks(withMediaType mediaType: AVMediaType) -> [AVAssetTrack] {
        tracks.filter { $0.mediaType == mediaType }
    }
    public func tracks(withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic) -> [AVAssetTrack] {
        tracks.filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
    }

    public func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVAssetTrack? {
        try await load(.tracks).first { $0.trackID == trackID }
    }
    public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
        try await load(.tracks).filter { $0.mediaType == mediaType }
    }
    public func loadTracks(
        withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
    ) async throws -> [AVAssetTrack] {
        try await load(.tracks).filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
    }
}

/// With handlers, which are called once, on a queue of their own.
extension AVAsset {
    @preconcurrency
    public func loadTrack(
        withTrackID trackID: CMPersistentTrackID,
        completionHandler: @escaping @Sendable (AVAssetTrack?, (any Error)?) -> Void
    ) {
        answer({ tracks, error in completionHandler(tracks?.first, error) }) { $0.trackID == trackID }
    }
    @preconcurrency
    public func loadTracks(
        withMediaType mediaType: AVMediaType,
        completionHandler: @escaping @Sendable ([AVAssetTrack]?, (any Error)?) -> Void
    ) {
        answer(completionHandler) { $0.mediaType == mediaType }
    }
    @preconcurrency
    public func loadTracks(
        withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic,
        completionHandler: @escaping @Sendable ([AVAssetTrack]?, (any Error)?) -> Void
    ) {
        answer(completionHandler) { $0.hasMediaCharacteristic(mediaCharacteristic) }
    }

    private func answer(
        _ handler: @escaping @Sendable ([AVAssetTrack]?, (any Error)?) -> Void,
        _ isWanted: @escaping @Sendable (AVAssetTrack) -> Bool
    ) {
        OffPool.queue.async {
            do { handler(try self.loadedTracks().filter(isWanted), nil) } catch { handler(nil, AVError.of(error)) }
        }
    }
}

extension AVAsynchronousKeyValueLoading where Self: AVAssetTrack {
    public var segments: [AVAssetTrackSegment] { allSegments() }
}
