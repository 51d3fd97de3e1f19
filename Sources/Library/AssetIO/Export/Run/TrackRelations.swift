import MediaTypes

/// The relations between the tracks of a movie that the output keeps: alternate groups and references.
///
/// The chapter and timecode tracks are created again, and so are the references to them.
struct TrackRelations {
    private let tracks: [(track: AssetTrack, input: AssetWriterInput)]

    init(_ outputs: [ExportPlan.OutputTrack], _ inputs: [AssetWriterInput]) {
        tracks = zip(outputs, inputs).compactMap { output, input in
            switch output {
            case .passthrough(let track), .video(let track, _, _), .audio(let track, _, _): (track, input)
            // A track made of several tracks is not an alternative to any of them.
            case .composition, .mix: nil
            }
        }
    }

    /// Stores the relations in the writer.
    ///
    /// - Throws: the writer's refusal.
    func carry(into writer: AssetWriter) throws(MediaError) {
        let numbers = Set(tracks.map(\.track.alternateGroup)).subtracting([0])
        for number in numbers.sorted() {
            for type in MediaType.allCases {
                let members = tracks.filter { $0.track.alternateGroup == number && $0.track.mediaType == type }
                guard members.count > 1 else { continue }
                try writer.add(try InputGroup(inputs: members.map(\.input)))
            }
        }
        for (track, input) in tracks {
            for (association, ids) in track.associations where ![.chapterList, .timecode].contains(association) {
                for other in tracks where ids.contains(other.track.id) {
                    guard input.canAddTrackAssociation(withTrackOf: other.input, type: association) else { continue }
                    try input.addTrackAssociation(withTrackOf: other.input, type: association)
                }
            }
        }
    }
}
