/// An input's readiness for samples, now and in future.
enum Readiness: Sendable, Equatable {
    case notReady, ready
    /// The track failed: its feeder has to be notified.
    case failed
    /// The client ended the input itself: `markAsFinished`, `finishWriting`, `cancelWriting`.
    case over

    var isOver: Bool { self == .failed || self == .over }
}
