import AVFoundation

/// Exports an excerpt of an asset (listings 27 to 29).
enum ClipExport {
    enum Outcome: Sendable, Equatable {
        case completed
        case cancelled
        case failed(String)
    }

    /// Listing 27: a session with the smallest preset, if the asset can be exported with it.
    static func session(for asset: AVAsset) -> AVAssetExportSession? {
        let presets = AVAssetExportSession.exportPresets(compatibleWith: asset)
        guard presets.contains(AVAssetExportPresetLowQuality) else { return nil }
        return AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetLowQuality)
    }

    /// Listing 28: the file, and the excerpt.
    static func prepare(_ session: AVAssetExportSession, to url: URL, from start: Double, seconds: Double) {
        session.outputURL = url
        session.outputFileType = .mov
        session.timeRange = CMTimeRangeMake(
            start: CMTimeMakeWithSeconds(start, preferredTimescale: 600),
            duration: CMTimeMakeWithSeconds(seconds, preferredTimescale: 600))
    }

    /// Listing 29: exports without blocking.
    ///
    /// - Parameter completion: called once.
    static func export(_ session: AVAssetExportSession, completion: @escaping @Sendable (Outcome) -> Void) {
        session.exportAsynchronously {
            switch session.status {
            case .completed: completion(.completed)
            case .cancelled: completion(.cancelled)
            default: completion(.failed(session.error?.localizedDescription ?? ""))
            }
        }
    }
}
