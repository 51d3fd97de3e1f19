/// What the sound's clock is found to do.
struct SoundClock: Equatable {
    /// By how many parts per million the device's clock is faster than the monotonic one; nil before that is known.
    var driftPPM: Double?
    /// Seconds by which sound is written later than it was heard: late against the pictures. nil before that is known.
    var syncOffset: Double?
}

/// How hard a live encoder works.
package struct EncodingEffort: Sendable, Equatable {
    /// How many steps below what was asked for; 0: nothing is spared.
    package var step: Int
    /// How many there are.
    package var steps: Int
    /// What the step means, in a few words.
    package var summary: String

    package init(step: Int, steps: Int, summary: String) {
        self.step = step
        self.steps = steps
        self.summary = summary
    }
}
