/// The measured behavior of a live audio device's clock.
package struct AudioClock: Sendable, Equatable {
    /// The drift of the device's clock against the monotonic clock, in parts per million; positive if the device's
    /// clock is faster. Resampling compensates for it. nil in the first minute, until the drift is known to 10 ppm.
    package var driftPPM: Double?
    /// The delay of audio against video, in seconds. Positive if the audio's timestamps are later than the time of its
    /// capture. The value is smoothed over many measured times. nil in the first seconds.
    package var syncOffset: Double?

    package init(driftPPM: Double? = nil, syncOffset: Double? = nil) {
        self.driftPPM = driftPPM
        self.syncOffset = syncOffset
    }
}
