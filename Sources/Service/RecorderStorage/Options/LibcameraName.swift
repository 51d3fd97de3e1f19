package import CommandInterface
import MediaTypes

/// The name of a camera behind libcamera, as in the setting `camera`: `libcamera:`, followed by libcamera's identifier
/// of the camera or by the camera's model.
package enum LibcameraName {
    package static let prefix = "libcamera:"

    /// Returns the identifier or the model; nil for the name of another camera.
    package static func parse(_ text: String) throws(OptionError) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let name = String(text.dropFirst(prefix.count))
        let isPlain = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard !name.isEmpty, isPlain, name.utf8.count <= mostBytes else {
            throw OptionError(
                text, isNot: "a camera of libcamera", write: "libcamera:imx708, or a name of `recorder devices`")
        }
        return name
    }

    /// The longest name that `recorder-libcamera` accepts, in bytes.
    private static let mostBytes = 160
}

extension RecordingConfiguration {
    /// libcamera's name of the camera that is recorded; nil without a camera, and for a camera of a different kind.
    package var libcameraName: String? {
        if case .libcamera(let name) = camera { return name }
        return nil
    }

    /// Refuses settings that a camera behind libcamera does not have. For any other camera, refuses settings that only
    /// a camera behind libcamera has.
    func validateLibcamera() throws(OptionError) {
        guard libcameraName != nil else {
            guard let control = controls.first(where: { $0.value == nil }) else { return }
            throw OptionError(
                "--control \(control.name)=\(control.text) has a fraction, which only controls of libcamera's cameras "
                    + "have: write a whole number", about: ["control", "camera"])
        }
        if cameraInput != nil {
            throw OptionError(
                "--camera-input selects an input of a V4L2 camera, but --camera is behind libcamera: remove "
                    + "--camera-input", about: ["camera", "camera-input"])
        }
        if let pixelFormat, pixelFormat == .h264 || pixelFormat == .hevc {
            throw OptionError(
                "--pixel-format \(pixelFormat.rawValue) is not for a camera behind libcamera, whose frames are raw or "
                    + "MJPEG: write --pixel-format nv12, or remove --pixel-format", about: ["camera", "pixel-format"])
        }
    }
}
