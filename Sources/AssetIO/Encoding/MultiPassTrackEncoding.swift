import MediaTypes

/// Encodes in several passes, each with an encoder of its own: all but the last only learn what the source is like.
final class MultiPassTrackEncoding: TrackEncoding {
    /// Opens the encoder of a pass, numbered from 1.
    typealias OpenPass = (Int) throws(MediaError) -> any TrackEncoding

    let passCount: Int
    let timeScale: Int32
    /// Owns what the passes leave for each other, which goes with it.
    private var open: OpenPass?
    private var pass = 1
    private var lastEnd: MediaTime?
    /// Replaced with every pass: an encoder's memory goes before the next one's comes. nil while a pass could not be opened.
    private var current: (any TrackEncoding)?

    /// - Parameter open: owns what the passes leave for each other; it is let go of at the end, whatever that is.
    init(passCount: Int, open: @escaping OpenPass) throws(MediaError) {
        self.passCount = passCount
        self.open = open
        let first = try open(1)
        timeScale = first.timeScale
        current = first
    }

    /// Every pass may set its encoder up differently; what is stored is the last one's.
    var format: FormatDescription? { pass == passCount ? current?.format : nil }
    var primingFrames: Int { current?.primingFrames ?? 0 }
    var end: MediaTime? { current?.end ?? lastEnd }
    var gaps: (count: Int, frames: Int64) { current?.gaps ?? (0, 0) }
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
