import MediaTypes

/// When the pictures of stretches are decoded that were encoded each for itself, as one encoder would have said it. A pure value.
///
/// An encoder that puts pictures in another order decodes the n-th at the time of the one that is shown so many before it: as
/// many as it may hold back. The first ones have none before them, and each encoder makes such times up, from the distance of its
/// own pictures. Behind a seam there are some: the last ones of the stretch before.
struct SeamTimes {
    /// The latest times that were shown, in order: more than any encoder holds back (ITU-T H.264, A.3.1: `MaxDpbFrames`).
    private var shown: [MediaTime] = []
    private static let capacity = 32
    /// Those of before the stretch that is going on.
    private var before: [MediaTime] = []
    /// The first ones of a stretch, as long as they are decoded before it begins.
    private var held: [SampleBuffer] = []
    private var start: MediaTime?

    /// - Parameter start: when the first picture of the stretch that follows is shown at the earliest.
    mutating func begin(at start: MediaTime, output: (SampleBuffer) -> Void) {
        release(output)
        before = shown
        self.start = before.isEmpty ? nil : start
    }

    mutating func take(_ sample: SampleBuffer, output: (SampleBuffer) -> Void) {
        note(sample.presentationTime)
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

    private mutating func note(_ time: MediaTime) {
        var place = shown.endIndex
        while place > 0, shown[place - 1] > time { place -= 1 }
        shown.insert(time, at: place)
        if shown.count > Self.capacity { shown.removeFirst() }
    }
}
