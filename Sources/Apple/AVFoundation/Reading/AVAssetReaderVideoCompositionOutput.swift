import AssetIO
import Foundation
import MediaTypes
import RealTime

/// An output that composes several video tracks according to a video composition.
open class AVAssetReaderVideoCompositionOutput: AVAssetReaderOutput, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    public let videoTracks: [AVAssetTrack]
    public let videoSettings: [String: Any]?
    private let pixelFormat: PixelFormat
    private let composition = Locked<AVVideoComposition?>(nil)

    /// - Parameter videoSettings: the settings, or nil for the format in which frames are composed.
    public init(videoTracks: [AVAssetTrack], videoSettings: [String: Any]?) {
        self.videoTracks = videoTracks
        self.videoSettings = videoSettings
        var (format, fault) = (PixelFormat.i420, MediaError?.none)
        do throws(MediaError) {
            guard !videoTracks.isEmpty else {
                throw MediaError(.invalidSettings, "cannot create an output", reason: "there are no tracks")
            }
            if let videoSettings, case .pixels(let said?) = try ReaderSettings.settings(videoSettings, for: .video) {
                format = said
            }
        } catch { fault = error }
        pixelFormat = format
        super.init(tracks: videoTracks, fault: fault)
    }

    override open var mediaType: AVMediaType { .video }

    /// The composition. It must be set before reading starts.
    open var videoComposition: AVVideoComposition? {
        get { composition.withLock { $0 } }
        set {
            guard mayChange("videoComposition") else { return }
            composition.withLock { $0 = newValue?.copy() as? AVVideoComposition }
        }
    }

    override func makeEngine() throws(MediaError) -> any AssetReaderOutput {
        guard let videoComposition else {
            throw MediaError(
                .invalidSettings, "cannot read composed frames", reason: "videoComposition is not set",
                wayOut: "set it before startReading")
        }
        let tracks = videoTracks.compactMap(\.engine)
        return try VideoCompositionOutput(
            videoTracks: tracks, pixelFormat: pixelFormat, videoComposition: try videoComposition.engine(for: tracks))
    }
}
