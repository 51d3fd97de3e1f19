/// The measured behavior of a live audio device's clock.
package struct AudioClock: Sendable, Equatable {
    /// The rate by which the device's clock is faster than the monotonic one, in parts per million. Resampling
    /// compensates for it. nil in the first minute, before it is known to 10 ppm.
    package var driftPPM: Double?
    /// The delay of audio against video, in seconds: how much later audio is written than it was heard. It is smoothed
    /// from measured times. nil in the first seconds.
    package var syncOffset: Double?

    package init(driftPPM: Double? = nil, syncOffset: Double? = nil) {
        self.driftPPM = driftPPM
        self.syncOffset = syncOffset
    }
}
