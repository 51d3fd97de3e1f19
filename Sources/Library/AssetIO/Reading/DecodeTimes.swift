import MediaTypes

/// Computes decode times for stored frames that have none. These are the first frames of a Matroska file, and the first
/// ones after a seek, if frames are shown out of order. Such containers store only the order of decoding, and
/// libavformat knows the decode times only of later frames.
struct DecodeTimes {
    private var held: [SampleBuffer] = []
    /// The maximum number of frames that H.264 and HEVC may reorder (ITU-T H.264, A.3.1: `MaxDpbFrames`).
    private static let capacity = 16

    /// Accepts the next frame. If its decode time is known, passes it on after the frames that waited for that time.
    ///
    /// - Parameter isKnown: true if the frame's decode time is known. If it is known but the sample states none, the
    ///   decode time equals the presentation time.
    mutating func take(_ sample: SampleBuffer, isKnown: Bool, output: (SampleBuffer) -> Void) {
        guard isKnown else {
            held.append(sample)
            if held.count > Self.capacity { finish(output: output) }
            return
        }
        emitHeld(before: sample.decodeTime ?? sample.presentationTime, output)
        output(sample)
    }

    /// Passes on the frames that still wait. At the end of a short movie, their decode times are still unknown.
    mutating func finish(output: (SampleBuffer) -> Void) {
        guard !held.isEmpty else { return }
        // Frames are shown in this order, and none is decoded after it is shown.
        let shown = held.map(\.presentationTime).sorted()
        let delay = zip(shown, held).map { $0 - $1.presentationTime }.max() ?? .zero
        for (sample, time) in zip(held, shown) { output(sample.decoded(at: time - delay)) }
        held.removeAll()
    }

    private mutating func emitHeld(before end: MediaTime, _ output: (SampleBuffer) -> Void) {
        guard !held.isEmpty else { return }
        let shown = held.map(\.presentationTime).sorted()
        let distance =
            zip(shown.dropFirst(), shown).map { $0 - $1 }.filter { $0 > .zero }.min()
            ?? MediaTime(value: 1, timescale: 1000)
        let step = held.compactMap(\.duration).filter { $0 > .zero }.min() ?? distance
        var next = end
        var times: [MediaTime] = []
        for sample in held.reversed() {
            next = min(next - step, sample.presentationTime)
            times.append(next)
        }
        for (sample, time) in zip(held, times.reversed()) { output(sample.decoded(at: time)) }
        held.removeAll()
    }
}
