import CommandInterface
import MediaTypes

/// `skip-identical`: frames that repeat the one before are not encoded.
extension RecordingConfiguration {
    /// Refuses `skip-identical` if frames are never decoded, and for a time-lapse.
    func validateSkipping() throws(OptionError) {
        guard skipsIdentical else { return }
        if camera == .none {
            throw OptionError(
                "--skip-identical needs a camera, but --camera is none: remove --skip-identical",
                about: ["camera", "skip-identical"])
        }
        if video == .passthrough {
            throw OptionError(
                "--skip-identical compares decoded frames, but --codec passthrough stores the camera's packets "
                    + "unchanged: write --codec h264, or remove --skip-identical", about: ["codec", "skip-identical"])
        }
        if let codec = dependentCodec {
            throw OptionError(
                "--skip-identical compares decoded frames, but the camera's \(codec.title) is not decoded: "
                    + "write --pixel-format mjpeg, or remove --skip-identical",
                about: ["pixel-format", "skip-identical"])
        }
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
