import Demuxing
import Foundation
import MediaTypes

extension AssetProperties {
    /// Collects the facts of a composition. Reads no media.
    init(_ composition: Composition, assetID: UUID) {
        duration = composition.duration
        // The lengths of a composition's segments are exact.
        isPrecise = true
        tracks = composition.tracks.compactMap { AssetTrack($0, assetID: assetID) }
        metadata = composition.metadata
        creationDate = composition.creationDate
        chapters = composition.chapters
        timecode = composition.timecode
    }
}

extension AssetTrack {
    /// Creates an asset's track from a composition's track, with the facts of the first media in it. Returns nil for a
    /// track without media.
    init?(_ track: Composition.Track, assetID: UUID) {
        let sources = track.segments.compactMap(\.source)
        guard let first = sources.first?.track else { return nil }
        id = track.id
        mediaType = track.mediaType
        formatDescription = first.formatDescription
        formatDescriptions = sources.flatMap(\.track.formatDescriptions).reduce(into: []) { all, format in
            if !all.contains(format) { all.append(format) }
        }
        statesFieldOrder = first.statesFieldOrder
        firstEntry = first.firstEntry
        isEmpty = false
        let uncopied = Set(sources.flatMap(\.track.uncopied))
        self.uncopied = UncopiedDescription.allCases.filter(uncopied.contains)
        isIndexed = true
        codecName = first.codecName
        naturalSize = first.naturalSize
        codedSize = first.codedSize
        presentationDimensions = first.presentationDimensions
        preferredTransform = track.preferredTransform ?? first.preferredTransform
        nominalFrameRate = Self.mean(sources) { $0.nominalFrameRate }
        minFrameDuration = sources.map(\.track.minFrameDuration).filter { $0 > .zero }.min() ?? .invalid
        estimatedDataRate = Self.mean(sources) { $0.estimatedDataRate }
        languageCode = track.languageCode ?? first.languageCode
        extendedLanguageTag = track.extendedLanguageTag ?? first.extendedLanguageTag
        timeRange = track.timeRange
        naturalTimeScale = first.naturalTimeScale
        isEnabled = track.isEnabled
        metadata = first.metadata
        associations = [:]
        alternateGroup = 0
        index = track.id
        self.assetID = assetID
        neighbours = []
    }

    /// Returns the mean of a number over the sources for which it is known (greater than 0), weighted by duration; 0 if
    /// there are none.
    private static func mean(_ sources: [Composition.Source], _ number: (AssetTrack) -> Double) -> Double {
        var (sum, length) = (0.0, 0.0)
        for source in sources where number(source.track) > 0 {
            sum += number(source.track) * source.timeRange.duration.seconds
            length += source.timeRange.duration.seconds
        }
        return length > 0 ? sum / length : 0
    }
}
