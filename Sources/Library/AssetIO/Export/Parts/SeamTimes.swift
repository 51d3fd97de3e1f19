import MediaTypes

/// Gives separately encoded chunks the decode times that a single encoder would have set. A pure value.
///
/// An encoder with reordering sets a frame's decode time to the presentation time of an earlier frame. The distance
/// between these two frames is the number of frames that the encoder may hold back. The first frames of an encoder have
/// no earlier frames, so it computes their decode times from the distance between its own frames. After a seam there
/// are earlier frames: the last frames of the previous chunk.
struct SeamTimes {
    /// The latest timestamps, in order: more than any encoder holds back (ITU-T H.264, A.3.1: `MaxDpbFrames`).
    private var shown: [MediaTime] = []
    private static let capacity = 32
    /// The latest timestamps from before the current chunk.
    private var before: [MediaTime] = []
    /// The first frames of a chunk. They are held while their decode time is before the chunk's start.
    private var held: [SampleBuffer] = []
    private var start: MediaTime?

    /// Begins a chunk.
    ///
    /// - Parameter start: the earliest possible timestamp of the chunk's first frame.
    mutating func begin(at start: MediaTime, output: (SampleBuffer) -> Void) {
        release(output)
        before = shown
        self.start = before.isEmpty ? nil : start
    }

    mutating func take(_ sample: SampleBuffer, output: (SampleBuffer) -> Void) {
        record(sample.presentationTime)
        guard let start else { return output(sample) }
        if let time = sample.decodeTime, time < start, held.count < Self.capacity { return held.append(sample) }
        release(output)
        self.start = nil
        output(sample)
    }

    mutating func finish(output: (SampleBuffer) -> Void) { release(output) }

    private mutating func release(_ output: (SampleBuffer) -> Void) {
        let times = before.suffix(held.count)
        if times.count == held.count {
            for (sample, time) in zip(held, times) { output(sample.decoded(at: time)) }
        } else {
            for sample in held { output(sample) }
        }
        held = []
    }

    private mutating func record(_ time: MediaTime) {
        var place = shown.endIndex
        while place > 0, shown[place - 1] > time { place -= 1 }
        shown.insert(time, at: place)
        if shown.count > Self.capacity { shown.removeFirst() }
    }
}
