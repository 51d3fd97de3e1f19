package import MediaTypes

/// The facts that a track's encoder reports about its own work.
package struct EncoderFacts: Sendable {
    /// The number of gaps in the audio that were filled so far, and the number of frames of silence that filled them.
    package var gaps: (count: Int, frames: Int64)
    /// The number of floating-point values that became silence so far, because they were not finite or far too loud.
    package var silencedValues: Int64
    /// The measured behavior of a live audio device's clock.
    package var clock: AudioClock
    /// The current effort of a live encoder that can reduce it; nil for others.
    package var effort: EncodingEffort?
    /// The latest failure after which the encoder started again; nil if there was none.
    package var fault: MediaError?
    /// The reason why frames are copied, although the encoder could import the camera's buffers; nil if there is none.
    package var copyReason: MediaError?
    /// The number of samples that the encoder accepted and lost.
    package var lost: Int64
    /// The newest samples of a live track, if none of them could be encoded because they were damaged; nil if the
    /// newest sample was encoded.
    package var damage: DamagedSamples?

    package init(
        gaps: (count: Int, frames: Int64) = (0, 0), silencedValues: Int64 = 0, clock: AudioClock = AudioClock(),
        effort: EncodingEffort? = nil, fault: MediaError? = nil, copyReason: MediaError? = nil, lost: Int64 = 0,
        damage: DamagedSamples? = nil
    ) {
        self.gaps = gaps
        self.silencedValues = silencedValues
        self.clock = clock
        self.effort = effort
        self.fault = fault
        self.copyReason = copyReason
        self.lost = lost
        self.damage = damage
    }
}

/// Damaged samples, one after the other.
package struct DamagedSamples: Sendable, Equatable {
    /// The number of samples since the last intact one.
    package var count: Int64
    /// The reason why the newest one is damaged.
    package var error: MediaError

    package init(count: Int64, error: MediaError) {
        self.count = count
        self.error = error
    }
}
