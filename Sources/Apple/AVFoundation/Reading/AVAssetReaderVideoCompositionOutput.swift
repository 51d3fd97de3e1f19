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
        var (attributes, fault) = (PixelAttributes?.none, MediaError?.none)
        do throws(MediaError) {
            guard !videoTracks.isEmpty else {
                throw MediaError(.invalidSettings, "cannot create an output", reason: "there are no tracks")
            }
            if let videoSettings {
                attributes = try ReaderSettings.frames(videoSettings, color: nil)
            }
        } catch { fault = error }
        pixelFormat = attributes?.format ?? .i420
        super.init(tracks: videoTracks, fault: fault, attributes: attributes)
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
        let composition = try videoComposition.engine(for: tracks)
        if let videoSettings {
            let color = composition.color ?? tracks.first?.formatDescription?.video?.color
            _ = try ReaderSettings.frames(videoSettings, color: color)
        }
        return try VideoCompositionOutput(
            videoTracks: tracks, pixelFormat: pixelFormat, videoComposition: composition)
    }
}
