import MediaTypes
import RealTime

/// Decides whether the samples of a rejected device can be encoded, by opening an encoder for their format. Thread-safe.
///
/// Opening takes up to tenths of a second. So for the same format it is tried again only after some time, because an
/// encoder of the machine may be in use.
final class EncoderProof: Sendable {
    /// The minimum time between two attempts with the same format.
    static let interval = MediaTime(value: 5, timescale: 1)

    private let canEncode: @Sendable (FormatDescription) -> Bool
    private let latest = Locked<(format: FormatDescription, time: MediaTime)?>(nil)

    init(_ canEncode: @escaping @Sendable (FormatDescription) -> Bool) { self.canEncode = canEncode }

    /// Returns true if an encoder can be opened for a sample. Blocks for as long as the encoder takes to open.
    func isGiven(by sample: SampleBuffer) -> Bool {
        let time = sample.presentationTime
        let isDue = latest.withLock { latest in
            if let latest, latest.format == sample.format, time - latest.time < Self.interval { return false }
            latest = (sample.format, time)
            return true
        }
        return isDue && canEncode(sample.format)
    }
}
