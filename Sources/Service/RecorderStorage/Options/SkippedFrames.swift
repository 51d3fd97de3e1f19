import CommandInterface
import MediaTypes

/// The setting `skip-identical`: a frame that equals the frame before it is not encoded.
extension RecordingConfiguration {
    /// Refuses `skip-identical` if frames are never decoded, and for a time-lapse.
    func validateSkipping() throws(OptionError) {
        guard skipsIdentical else { return }
        try requireDecodedFrames(for: ["skip-identical"], "compares")
        if every != nil {
            throw OptionError(
                "--every stores a frame of each interval, whatever it shows: remove --skip-identical or --every",
                about: ["every", "skip-identical"])
        }
    }

    /// Notes for the user about settings that are valid, but may not have the expected effect.
    package var notes: [String] {
        guard skipsIdentical, frameStage.stamp.isActive else { return [] }
        return ["skip-identical has no effect with a stamp, which changes the frames"]
    }
}
