public import MediaTypes

/// Reads several video tracks of an asset as one, composed by a `VideoComposition`. Modeled on AVFoundation's
/// `AVAssetReaderVideoCompositionOutput`.
///
/// Returns a frame for every `frameDuration`, from the start of the reader's time range to the end of the asset or of
/// the last instruction, whichever is earlier. Each frame is composed of the frames that the tracks show at its time: of
/// each track, the last frame whose timestamp is not later. A track shows nothing before its first frame and after its
/// end. Frames are composed in 4:2:0 with eight bits.
public final class VideoCompositionOutput: AssetReaderOutput {
    public let videoTracks: [AssetTrack]
    public let pixelFormat: PixelFormat
    public let videoComposition: VideoComposition
    public let core: ReaderOutputCore

    /// Creates an output for a composition.
    ///
    /// - Parameters:
    ///   - videoTracks: tracks of one asset.
    ///   - pixelFormat: the pixel format of the composed frames.
    /// - Throws: `invalidSettings` for a composition with gaps or overlaps in time, with invalid sizes or numbers, or
    ///   with tracks that are not in `videoTracks`.
    public init(
        videoTracks: [AssetTrack], pixelFormat: PixelFormat = .i420, videoComposition: VideoComposition
    ) throws(MediaError) {
        if let fault = videoComposition.fault(tracks: videoTracks) { throw fault }
        self.videoTracks = videoTracks
        self.pixelFormat = pixelFormat
        self.videoComposition = videoComposition
        core = ReaderOutputCore(tracks: videoTracks, name: "the composed frames") {
            (asset, configuration, ranges) throws(MediaError) in
            try VideoCompositionSource(
                asset: asset, tracks: videoTracks, composition: videoComposition, pixelFormat: pixelFormat,
                ranges: ranges, configuration: configuration)
        }
    }

    public var mediaType: MediaType { .video }
}
