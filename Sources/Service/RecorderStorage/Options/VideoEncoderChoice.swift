package import CommandInterface
import MediaTypes

/// The encoder of H.264.
package enum VideoEncoderChoice: Sendable, Hashable {
    /// x264, on the processor.
    case x264
    /// A hardware encoder, used through V4L2. The value is its node, such as `/dev/video11`; nil selects the first one.
    case v4l2(String?)

    package init(parsing text: String) throws(OptionError) {
        switch text {
        case "x264": self = .x264
        case "v4l2": self = .v4l2(nil)
        default:
            let path = text.dropFirst("v4l2:".count)
            guard text.hasPrefix("v4l2:/"), path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                throw OptionError(text, isNot: "an encoder", write: "x264, v4l2 or v4l2:/dev/video11")
            }
            self = .v4l2(String(path))
        }
    }

    /// The choice as users write it.
    package var text: String {
        switch self {
        case .x264: "x264"
        case .v4l2(let path): path.map { "v4l2:\($0)" } ?? "v4l2"
        }
    }
}

extension RecordingConfiguration {
    /// The bit rate of a hardware encoder if the user sets none. Hardware encoders have no constant quality that means
    /// the same on every machine.
    package static let hardwareBitRate = 6_000_000

    /// Refuses a hardware encoder if frames are never decoded.
    func validateEncoder() throws(OptionError) {
        guard encoder != .x264 else { return }
        let option = "--encoder \(encoder.text)"
        if camera == .none {
            throw OptionError(
                "\(option) needs a camera, but --camera is none: remove --encoder", about: ["camera", "encoder"])
        }
        if video == .passthrough {
            throw OptionError(
                "\(option) encodes decoded frames, but --codec passthrough stores the camera's packets unchanged: "
                    + "write --codec h264, or remove --encoder", about: ["codec", "encoder"])
        }
        guard video.choice == .h264 else {
            throw OptionError(
                "\(option) encodes only H.264: write --codec h264, or remove --encoder", about: ["codec", "encoder"])
        }
        if let codec = dependentCodec {
            throw OptionError(
                "\(option) encodes decoded frames, but the camera's \(codec.title) is not decoded: "
                    + "write --pixel-format mjpeg, or remove --encoder", about: ["pixel-format", "encoder"])
        }
    }
}
