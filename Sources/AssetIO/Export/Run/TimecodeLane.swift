import MediaTypes

/// The copy's timecode: one sample that says which number the first picture has.
struct TimecodeLane {
    let input: AssetWriterInput
    private let timecode: AssetTimecode

    /// nil without a timecode, and where no track could refer to it.
    init?(_ timecode: AssetTimecode?, of inputs: [AssetWriterInput]) throws(MediaError) {
        guard let timecode,
            let main = inputs.first(where: { $0.mediaType == .video })
                ?? inputs.first(where: { $0.mediaType == .audio })
        else { return nil }
        self.timecode = timecode
        input = try AssetWriterInput(
            mediaType: .timecode, outputSettings: nil, sourceFormatHint: .timecode(timecode.format))
        // One sample, which no track is to wait for.
        try input.configure { $0.expectsMediaDataInRealTime = true }
        try main.addTrackAssociation(withTrackOf: input, type: .timecode)
    }

    func begin(at start: MediaTime) throws(MediaError) {
        try input.append(timecode.format.sample(frameNumber: timecode.frameNumber, at: start))
        input.markAsFinished()
    }
}
