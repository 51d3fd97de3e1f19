import MediaTypes

/// Encodes in several passes, each with an encoder of its own. All passes but the last only analyze the source.
final class MultiPassTrackEncoder: TrackEncoder {
    /// Opens the encoder of a pass, numbered from 1.
    typealias OpenPass = (Int) throws(MediaError) -> any TrackEncoder

    let passCount: Int
    let timeScale: Int32
    /// Opens a pass. The closure owns the statistics that the passes share. They are deleted when this property is set
    /// to nil.
    private var open: OpenPass?
    private var pass = 1
    private var lastEnd: MediaTime?
    /// The current pass's encoder. It is freed before the next pass's encoder is opened. nil if the encoder of a pass
    /// could not be opened.
    private var current: (any TrackEncoder)?

    /// - Parameter open: opens the encoder of a pass, and owns the statistics that the passes share. The closure is
    ///   released at the end, even after a failure.
    init(passCount: Int, open: @escaping OpenPass) throws(MediaError) {
        self.passCount = passCount
        self.open = open
        let first = try open(1)
        timeScale = first.timeScale
        current = first
    }

    /// The format of the last pass, whose packets are stored. The encoders of the passes may have different setups.
    var format: FormatDescription? { pass == passCount ? current?.format : nil }
    var primingFrames: Int { current?.primingFrames ?? 0 }
    var end: MediaTime? { current?.end ?? lastEnd }
    var facts: EncoderFacts { current?.facts ?? EncoderFacts() }
    var cutSamples: Int64 { current?.cutSamples ?? 0 }
    var unaccountedSamples: Int64 { current?.unaccountedSamples ?? 0 }

    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        try current?.encode(sample, output: output)
    }

    func finish(output: Output) throws(MediaError) { try current?.finish(output: output) }

    func beginNextPass() throws(MediaError) {
        try current?.finish { _, _ in }
        current = nil
        pass += 1
        current = try open?(pass)
    }

    func removeTemporaryFiles() {
        lastEnd = current?.end
        current = nil
        open = nil
    }
}
