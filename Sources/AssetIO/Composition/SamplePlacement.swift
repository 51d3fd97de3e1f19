import MediaTypes

/// Puts the samples of one part where they belong in the composition, and leaves out what is not of it.
protocol SamplePlacement {
    /// What is to be read of the part's own track.
    var sourceRange: TimeRange { get }

    /// The sample at its place; nil when it is left out.
    ///
    /// - Throws: `unsupported` for stored samples that cannot be joined without encoding them again.
    mutating func place(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer?
}

/// Decoded pictures belong to a part by their time.
struct PicturePlacement: SamplePlacement {
    let part: CompositionPart
    private let shift: MediaTime

    init(_ part: CompositionPart) {
        self.part = part
        shift = part.shift
    }

    var sourceRange: TimeRange { part.sourceRange }

    func place(_ sample: SampleBuffer) -> SampleBuffer? {
        let time = shift == .zero ? sample.presentationTime : sample.presentationTime + shift
        // What a file shows before its own time 0 has no place behind another segment.
        if part.followsSeam, time < part.target.start { return nil }
        let end = part.segment.timeRange.end
        guard let duration = sample.duration, time < end, time + duration > end else {
            return shift == .zero ? sample : sample.at(time)
        }
        return SampleBuffer(
            format: sample.format, content: sample.content, presentationTime: time, duration: end - time,
            sampleCount: sample.sampleCount, isKeyFrame: sample.isKeyFrame)
    }
}
