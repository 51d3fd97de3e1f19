import Foundation

extension AVURLAsset {
    /// Returns a track of this file from which any time range can be inserted into the composition's track. The two
    /// tracks have the same media type and format. Blocks while the file's header is read.
    public func compatibleTrack(for compositionTrack: AVCompositionTrack) -> AVAssetTrack? {
        let candidates = tracks(withMediaType: compositionTrack.mediaType)
        guard let wanted = compositionTrack.descriptions.first else { return candidates.first }
        return candidates.first { $0.descriptions.first == wanted }
    }
    public func findCompatibleTrack(for compositionTrack: AVCompositionTrack) async throws -> AVAssetTrack? {
        _ = try await load(.tracks)
        return compatibleTrack(for: compositionTrack)
    }
    @preconcurrency
    public func findCompatibleTrack(
        for compositionTrack: AVCompositionTrack,
        completionHandler: @escaping @Sendable (AVAssetTrack?, (any Error)?) -> Void
    ) {
        OffPool.queue.async {
            do {
                _ = try self.loadedTracks()
                completionHandler(self.compatibleTrack(for: compositionTrack), nil)
            } catch { completionHandler(nil, AVError.of(error)) }
        }
    }
}
