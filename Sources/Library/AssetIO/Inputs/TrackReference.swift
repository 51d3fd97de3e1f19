public import MediaTypes
import RealTime

/// One input's reference to another.
struct TrackReference: Sendable {
    let type: TrackAssociation
    let input: AssetWriterInput
}

extension AssetWriterInput {
    /// Returns true if this track can refer to the track of another input. The media types must permit it, and neither
    /// input may have started writing.
    ///
    /// - `timecode`: video or audio to its timecode track.
    /// - `chapterList`: video or audio to the text track with the chapters' titles.
    /// - `selectionFollower`: audio to text or text to audio; players select both together.
    /// - `audioFallback`: audio to audio that simpler players decode.
    /// - `forcedSubtitlesOnly`: text to text.
    /// - `metadataReferent`: metadata to the video or audio that it describes.
    public func canAddTrackAssociation(withTrackOf input: AssetWriterInput, type: TrackAssociation) -> Bool {
        associationFault(input, type) == nil
    }

    /// Makes this track refer to the track of another input. Both inputs must belong to the same writer when the writer
    /// starts.
    ///
    /// - Throws: `invalidState` once writing has started, `invalidSettings` for media types that cannot refer to each
    ///   other.
    public func addTrackAssociation(
        withTrackOf input: AssetWriterInput, type: TrackAssociation
    ) throws(MediaError) {
        if let fault = associationFault(input, type) { throw fault }
        let isAdded = state.withLock { state in
            guard state.path == nil else { return false }
            let isThere = state.associations.contains { $0.type == type && $0.input === input }
            if !isThere { state.associations.append(TrackReference(type: type, input: input)) }
            return true
        }
        if !isAdded { throw Self.lateAssociation }
    }

    /// The permitted pairs of media types: the referring track's and the other track's.
    private static let associationTypes: [TrackAssociation: [(from: MediaType, to: MediaType)]] = [
        .timecode: [(.video, .timecode), (.audio, .timecode)],
        .chapterList: [(.video, .text), (.audio, .text)],
        .selectionFollower: [(.audio, .text), (.text, .audio)],
        .audioFallback: [(.audio, .audio)],
        .metadataReferent: [(.metadata, .video), (.metadata, .audio)],
        .forcedSubtitlesOnly: [(.text, .text)],
    ]

    private static var lateAssociation: MediaError {
        MediaError(.invalidState, "cannot associate two tracks", reason: "writing has started already")
    }

    private func associationFault(_ input: AssetWriterInput, _ type: TrackAssociation) -> MediaError? {
        if path != nil || input.path != nil { return Self.lateAssociation }
        let action = "cannot associate two tracks"
        guard input !== self else {
            return MediaError(.invalidSettings, action, reason: "a track cannot refer to itself")
        }
        guard let pairs = Self.associationTypes[type] else {
            return MediaError(
                .invalidSettings, action, reason: "“\(type.rawValue)” is not an association that this build supports")
        }
        guard pairs.contains(where: { $0.from == mediaType && $0.to == input.mediaType }) else {
            return MediaError(
                .invalidSettings, action,
                reason: "“\(type.rawValue)” cannot associate \(mediaType) with \(input.mediaType)")
        }
        return nil
    }

    var associations: [TrackReference] { state.withLock { $0.associations } }
}
