import MediaTypes

/// A volume over time: steps and ramps. A pure value.
struct VolumeEnvelope: Sendable, Hashable {
    /// A ramp, or a step if its time range is empty.
    struct Change: Sendable, Hashable {
        var timeRange: TimeRange
        var startVolume: Float
        var endVolume: Float
        var isStep: Bool { timeRange.duration == .zero }
    }

    /// The changes, ordered by start; a step comes before a ramp with the same start.
    private(set) var changes: [Change] = []

    /// Adds a change.
    ///
    /// - Throws: `invalidSettings` for an invalid volume or time, and for changes that contradict each other.
    mutating func add(_ change: Change) throws(MediaError) {
        let action = "cannot set a volume"
        for volume in [change.startVolume, change.endVolume] where !volume.isFinite || volume < 0 {
            throw MediaError(
                .invalidSettings, action, reason: "invalid volume \(volume); 0 is silence, 1 the stored volume")
        }
        let range = change.timeRange
        guard range.start.isNumeric, range.duration.isNumeric else {
            throw MediaError(.invalidSettings, action, reason: "the time range is not finite")
        }
        if let other = changes.first(where: { Self.isConflict($0, change) }) {
            throw MediaError(
                .invalidSettings, action,
                reason:
                    "the volume from \(other.timeRange.start.words) to \(other.timeRange.end.words) is set already"
            )
        }
        changes.removeAll { $0.isStep && change.isStep && $0.timeRange.start == range.start }
        let place = changes.firstIndex { Self.comesBefore(change, $0) } ?? changes.count
        changes.insert(change, at: place)
    }

    private static func isConflict(_ one: Change, _ other: Change) -> Bool {
        switch (one.isStep, other.isStep) {
        case (true, true): false
        // A step may be at the start or at the end of a ramp. At the start the ramp decides the volume, at the end the
        // step.
        case (true, false): other.timeRange.start < one.timeRange.start && one.timeRange.start < other.timeRange.end
        case (false, true): one.timeRange.start < other.timeRange.start && other.timeRange.start < one.timeRange.end
        case (false, false): one.timeRange.start < other.timeRange.end && other.timeRange.start < one.timeRange.end
        }
    }

    private static func comesBefore(_ one: Change, _ other: Change) -> Bool {
        one.timeRange.start == other.timeRange.start
            ? one.isStep && !other.isStep : one.timeRange.start < other.timeRange.start
    }

    func volume(at time: MediaTime) -> Float {
        guard let change = changes.last(where: { $0.timeRange.start <= time }) else { return 1 }
        guard time < change.timeRange.end else { return change.endVolume }
        let part = (time - change.timeRange.start).seconds / change.timeRange.duration.seconds
        return Float(Double(change.startVolume) + Double(change.endVolume - change.startVolume) * part)
    }
}

/// An envelope in frames of one sample rate, computed once.
struct VolumeCurve: Sendable {
    /// The volume over a number of consecutive frames.
    enum Run: Equatable {
        case constant(Float)
        /// The volume of the first frame, and the change from each frame to the next.
        case ramp(Double, Double)
    }

    private struct Piece {
        /// The first frame that is not before the change, and the first after its ramp.
        var start: Int64
        var rampEnd: Int64
        /// The ramp as a line: the volume is `startVolume` at frame `origin`, and changes by `slope` with each frame.
        var origin: Double
        var startVolume: Double
        var slope: Double
        var endVolume: Float
    }

    private let pieces: [Piece]

    init(_ envelope: VolumeEnvelope, sampleRate: Int32) {
        pieces = envelope.changes.map { change in
            let range = change.timeRange
            let length = range.duration.seconds * Double(sampleRate)
            let difference = Double(change.endVolume) - Double(change.startVolume)
            return Piece(
                start: range.start.ticks(in: sampleRate, rounding: .up),
                rampEnd: range.end.ticks(in: sampleRate, rounding: .up),
                origin: range.start.seconds * Double(sampleRate), startVolume: Double(change.startVolume),
                slope: length > 0 ? difference / length : 0, endVolume: change.endVolume)
        }
    }

    /// Splits a range of frames into runs. `body` gets each run's frames, counted from the first one of the range.
    func forEachRun(from first: Int64, count: Int, _ body: (Range<Int>, Run) -> Void) {
        let end = first + Int64(count)
        var position = first
        // The first piece that has not begun yet; there are at most a few dozen, so a linear search is cheap.
        var next = pieces.firstIndex { $0.start > first } ?? pieces.count
        while position < end {
            let runEnd = next < pieces.count ? min(end, pieces[next].start) : end
            let frames = { (upper: Int64) in Int(position - first)..<Int(upper - first) }
            if next == 0 {
                body(frames(runEnd), .constant(1))
            } else {
                let piece = pieces[next - 1]
                let rampEnd = min(runEnd, piece.rampEnd)
                if position < rampEnd {
                    let volume = piece.startVolume + (Double(position) - piece.origin) * piece.slope
                    body(frames(rampEnd), .ramp(volume, piece.slope))
                    position = rampEnd
                }
                if position < runEnd { body(frames(runEnd), .constant(piece.endVolume)) }
            }
            position = runEnd
            next += 1
        }
    }
}
