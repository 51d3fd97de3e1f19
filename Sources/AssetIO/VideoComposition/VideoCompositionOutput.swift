public import MediaTypes

/// Reads several video tracks of an asset as one, put together as a `VideoComposition` says. The model is AVFoundation's
/// `AVAssetReaderVideoCompositionOutput`.
///
/// From the start of the reader's time range on it gives a picture every `frameDuration`, made of the picture that each
/// track shows at that time: the last one whose time is not later. Before its first picture and after its end a track
/// shows nothing. Pictures are composed in 4:2:0 at eight bits.
public final class VideoCompositionOutput: AssetReaderOutput {
    public let videoTracks: [AssetTrack]
    public let pixelFormat: PixelFormat
    public let videoComposition: VideoComposition
    public let core: ReaderOutputCore

    /// - Parameters:
    ///   - videoTracks: of one asset.
    ///   - pixelFormat: of the composed pictures.
    /// - Throws: `invalidSettings` for a composition with gaps or overlaps in time, with sizes or numbers that cannot be, or
    ///   about other tracks than these.
    public init(
        videoTracks: [AssetTrack], pixelFormat: PixelFormat = .i420, videoComposition: VideoComposition
    ) throws(MediaError) {
        if let fault = videoComposition.fault(tracks: videoTracks) { throw fault }
        self.videoTracks = videoTracks
        self.pixelFormat = pixelFormat
        self.videoComposition = videoComposition
        core = ReaderOutputCore(tracks: videoTracks, name: "the composed pictures") {
            (asset, _, ranges) throws(MediaError) in
            try VideoCompositionSource(
                asset: asset, tracks: videoTracks, composition: videoComposition, pixelFormat: pixelFormat,
                ranges: ranges)
        }
    }

    public var mediaType: MediaType { .video }
}
