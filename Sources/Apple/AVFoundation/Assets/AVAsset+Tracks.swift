import AssetIO
import Foundation

// Each subclass of an asset has its own class of tracks. Swift cannot override a property with an array of another
// class, so these members are in protocol extensions. The extension for the most specific class is used.

extension AVAsynchronousKeyValueLoading where Self: AVAsset {
    /// The tracks. Blocks the calling thread while the file's header is read; empty if it cannot be read.
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

/// Variants with completion handlers, which are called once, on an internal queue.
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
