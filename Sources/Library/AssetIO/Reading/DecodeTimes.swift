import MediaTypes

/// Computes decode times for stored frames that have none: the first ones of a Matroska file, or those after a seek, if
/// some are shown out of order. Such containers store only the order of decoding, and libavformat learns the decode
/// times only some frames later.
struct DecodeTimes {
    private var held: [SampleBuffer] = []
    /// The maximum number of frames that H.264 and HEVC may reorder (ITU-T H.264, A.3.1: `MaxDpbFrames`).
    private static let capacity = 16

    /// Passes a frame on, with those that waited for its time.
    ///
    /// - Parameter isKnown: true if the frame's decode time is known; if it has none of its own, it equals the
    ///   presentation time.
    mutating func take(_ sample: SampleBuffer, isKnown: Bool, output: (SampleBuffer) -> Void) {
        guard isKnown else {
            held.append(sample)
            if held.count > Self.capacity { finish(output: output) }
            return
        }
        emitHeld(before: sample.decodeTime ?? sample.presentationTime, output)
        output(sample)
    }

    /// Passes on the frames that still wait at the end, because the movie is too short to learn their decode times.
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
