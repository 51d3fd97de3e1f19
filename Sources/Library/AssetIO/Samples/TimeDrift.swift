import MediaTypes

/// Distinguishes the drift of a file's audio from gaps: compares the times of the blocks with the count of the audio
/// frames. A pure value.
///
/// A file may have the times of another clock than the one that counted the audio, such as those of a network camera.
/// docs/design/decisions/drift.md gives the reasons for the numbers.
struct TimeDrift {
    /// The greatest step of the times from one block to the next, in seconds. A greater one is a gap or an overlap.
    private static let greatestStep = 0.005
    /// The error that is accepted without a correction, and the greatest one that is corrected gradually.
    private static let leastError = 0.001
    private static let greatestError = 0.04
    /// The limit of `surplus` in both directions.
    static let greatestSurplus = 0.005
    /// The time in seconds after which the error has shrunk to 1/e.
    private static let catchUpTime = 2.0

    private var next: MediaTime?
    private var isCorrecting = false
    /// The relative amount by which the block is lengthened.
    private(set) var surplus = 0.0

    /// Adds a block.
    ///
    /// - Parameters:
    ///   - time: the stated time of the block.
    ///   - expected: the time of the block according to the frame count.
    /// - Returns: true if the block continues the audio, so that `surplus` is the correction; false after a gap, and
    ///   for an overlap.
    mutating func admit(_ time: MediaTime, duration: MediaTime, expected: MediaTime) -> Bool {
        let step = next.map { (time - $0).seconds.magnitude } ?? .infinity
        next = time + duration
        let error = (time - expected).seconds
        guard step <= Self.greatestStep, error.magnitude <= Self.greatestError else {
            (isCorrecting, surplus) = (false, 0)
            return error.magnitude <= Self.leastError
        }
        isCorrecting = isCorrecting || error.magnitude > Self.leastError
        surplus = isCorrecting ? error / Self.catchUpTime : 0
        surplus = min(max(surplus, -Self.greatestSurplus), Self.greatestSurplus)
        return true
    }
}
