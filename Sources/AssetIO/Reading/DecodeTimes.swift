import MediaTypes

/// Decode times for stored pictures that come without: the first of a Matroska file, or behind a seek, when some are shown
/// out of order. Containers of that kind keep the order alone, and libavformat knows the times only some pictures later.
struct DecodeTimes {
    private var held: [SampleBuffer] = []
    /// As many pictures as H.264 and HEVC may reorder (ITU-T H.264, A.3.1: `MaxDpbFrames`).
    private static let capacity = 16

    /// Gives a picture on, with those that waited for its time.
    ///
    /// - Parameter isKnown: the picture's decode time is; without one of its own it is the presentation time.
    mutating func take(_ sample: SampleBuffer, isKnown: Bool, output: (SampleBuffer) -> Void) {
        guard isKnown else {
            held.append(sample)
            if held.count > Self.capacity { finish(output: output) }
            return
        }
        giveHeld(before: sample.decodeTime ?? sample.presentationTime, output)
        output(sample)
    }

    /// Gives on what waits: a film of so few pictures that nobody learns their times.
    mutating func finish(output: (SampleBuffer) -> Void) {
        guard !held.isEmpty else { return }
        // Shown in this order, and none decoded after it is shown.
        let shown = held.map(\.presentationTime).sorted()
        let delay = zip(shown, held).map { $0 - $1.presentationTime }.max() ?? .zero
        for (sample, time) in zip(held, shown) { output(sample.decoded(at: time - delay)) }
        held.removeAll()
    }

    private mutating func giveHeld(before end: MediaTime, _ output: (SampleBuffer) -> Void) {
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
