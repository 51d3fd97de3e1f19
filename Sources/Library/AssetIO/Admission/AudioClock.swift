/// The measured behavior of the audio clock.
struct AudioClock: Equatable {
    /// The rate by which the device's clock is faster than the monotonic one, in parts per million; nil before that is
    /// known.
    var driftPPM: Double?
    /// The delay of audio against video, in seconds: how much later audio is written than it was heard. nil before that
    /// is known.
    var syncOffset: Double?
}

/// The effort of a live encoder.
package struct EncodingEffort: Sendable, Equatable {
    /// The number of steps below the requested effort; 0 means full effort.
    package var step: Int
    /// The number of steps that exist.
    package var steps: Int
    /// A short description of the current step.
    package var summary: String

    package init(step: Int, steps: Int, summary: String) {
        self.step = step
        self.steps = steps
        self.summary = summary
    }
}
