/// The measured behavior of the audio clock.
struct AudioClock: Equatable {
    /// The rate by which the device's clock is faster than the monotonic one, in parts per million; nil before that is
    /// known.
    var driftPPM: Double?
    /// The delay of audio against video, in seconds: how much later audio is written than it was heard. nil before that
    /// is known.
    var syncOffset: Double?
}
