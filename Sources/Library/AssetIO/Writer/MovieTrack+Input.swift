import Foundation
import MediaTypes
import MovieFile

extension MovieTrack {
    /// Returns the tracks of the inputs as the file describes them, with the configuration at the start of writing.
    static func tracks(
        of inputs: [AssetWriterInput], encoders: [any TrackEncoder], groups: [InputGroup]
    ) -> [MovieTrack] {
        var ids: [ObjectIdentifier: UInt32] = [:]
        for (index, input) in inputs.enumerated() { ids[ObjectIdentifier(input)] = UInt32(index + 1) }
        return zip(inputs, encoders).enumerated().map { index, pair in
            let (input, encoder) = pair
            var track = MovieTrack(id: UInt32(index + 1), input: input, encoder: encoder)
            for reference in input.associations {
                guard let id = ids[ObjectIdentifier(reference.input)] else { continue }
                track.references[reference.type, default: []].append(id)
            }
            if let number = groups.firstIndex(where: { group in group.inputs.contains { $0 === input } }) {
                track.alternateGroup = number + 1
                if let chosen = groups[number].defaultInput { track.isEnabled = chosen === input }
            }
            return track
        }
    }

    private init(id: UInt32, input: AssetWriterInput, encoder: any TrackEncoder) {
        let configuration = input.configuration
        let size = configuration.naturalSize
        self.init(
            id: id, mediaType: input.mediaType, format: encoder.format, timeScale: encoder.timeScale,
            primingFrames: encoder.primingFrames, language: configuration.languageCode,
            isEnabled: configuration.marksOutputTrackAsEnabled, volume: configuration.preferredVolume,
            matrix: Self.matrix(configuration.transform),
            naturalSize: size == .zero ? nil : (Double(size.width), Double(size.height)),
            extendedLanguage: configuration.extendedLanguageTag, metadata: configuration.metadata,
            chunkDuration: configuration.preferredMediaChunkDuration,
            chunkAlignment: configuration.preferredMediaChunkAlignment)
        let isMedia = input.mediaType == .video || input.mediaType == .audio
        mayChangeFormat = isMedia && input.outputSettings == nil && format?.audio?.bytesPerFrame == nil
    }

    private static func matrix(_ transform: AffineTransform) -> [Double] {
        [
            Double(transform.m11), Double(transform.m12), 0, Double(transform.m21), Double(transform.m22), 0,
            Double(transform.tX), Double(transform.tY), 1,
        ]
    }
}
