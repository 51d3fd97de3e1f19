import AVFoundation

/// Ways to open an asset, and to wait for what is in it (listings 20 to 24).
enum AssetOpening {
    enum Outcome: Sendable, Equatable {
        case loaded(seconds: Double)
        case failed(String)
        case cancelled
    }

    /// Listing 20: an asset of a URL.
    static func asset(_ url: URL) -> AVURLAsset {
        AVURLAsset(url: url, options: nil)
    }

    /// Listing 21: an asset with exact times, for a composition.
    static func preciseAsset(_ url: URL) -> AVURLAsset {
        AVURLAsset(url: url, options: [AVURLAssetPreferPreciseDurationAndTimingKey: true])
    }

    /// Listing 22: the first movie of the user's library. The library is a directory here: there is no other on Linux.
    static func firstMovie(in library: URL) throws -> AVURLAsset? {
        let files = try FileManager.default.contentsOfDirectory(at: library, includingPropertiesForKeys: nil)
        let assets = files.sorted { $0.path < $1.path }.map { AVURLAsset(url: $0, options: nil) }
        return assets.first { !$0.tracks(withMediaType: .video).isEmpty }
    }

    /// Listing 23: loads the duration without blocking.
    ///
    /// - Parameter completion: called once.
    static func loadDuration(_ url: URL, completion: @escaping @Sendable (Outcome) -> Void) {
        let asset = AVURLAsset(url: url, options: nil)
        asset.loadValuesAsynchronously(forKeys: ["duration"]) {
            var error: NSError?
            switch asset.statusOfValue(forKey: "duration", error: &error) {
            case .loaded: completion(.loaded(seconds: CMTimeGetSeconds(asset.duration)))
            case .cancelled: completion(.cancelled)
            default: completion(.failed(error?.localizedDescription ?? ""))
            }
        }
    }

    /// Listing 24: an image generator for an asset with something to see.
    static func imageGenerator(for asset: AVAsset) -> AVAssetImageGenerator? {
        guard !asset.tracks(withMediaCharacteristic: .visual).isEmpty else { return nil }
        return AVAssetImageGenerator(asset: asset)
    }
}
