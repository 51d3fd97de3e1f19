public import MediaTypes

/// The parts of the source that a pass of a multi-pass encoding needs.
public struct PassDescription: Sendable, Hashable {
    /// Time ranges in the samples' clock, in order. A range without an end extends to the end of the source.
    public let sourceTimeRanges: [TimeRange]

    /// Creates a description of the entire source from `start`.
    init(from start: MediaTime) { sourceTimeRanges = [TimeRange(start: start, duration: .positiveInfinity)] }
}
