import Foundation
import MediaTypes
import MovieFile

extension MovieTrack {
    /// What the file says about an input's track, as the input was set up when writing began.
    init(id: UInt32, input: AssetWriterInput, encoding: any TrackEncoding) {
        let configuration = input.configuration
        let size = configuration.naturalSize
        self.init(
            id: id, mediaType: input.mediaType, format: encoding.format, timeScale: encoding.timeScale,
            primingFrames: encoding.primingFrames, language: configuration.languageCode,
            isEnabled: configuration.marksOutputTrackAsEnabled, volume: configuration.preferredVolume,
            matrix: Self.matrix(configuration.transform),
            naturalSize: size == .zero ? nil : (Double(size.width), Double(size.height)),
            extendedLanguage: configuration.extendedLanguageTag, metadata: configuration.metadata,
            chunkDuration: configuration.preferredMediaChunkDuration,
            chunkAlignment: configuration.preferredMediaChunkAlignment)
    }

    private static func matrix(_ transform: AffineTransform) -> [Double] {
        [
            Double(transform.m11), Double(transform.m12), 0, Double(transform.m21), Double(transform.m22), 0,
            Double(transform.tX), Double(transform.tY), 1,
        ]
    }
}
