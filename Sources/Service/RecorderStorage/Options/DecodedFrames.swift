import CommandInterface
import MediaTypes

/// Settings for which the camera's frames must be decoded.
extension RecordingConfiguration {
    /// Refuses settings if there is no camera, or if its frames are never decoded.
    ///
    /// - Parameters:
    ///   - keys: the settings.
    ///   - verb: the verb before "decoded frames" in the error, such as "needs".
    func requireDecodedFrames(for keys: [String], _ verb: String) throws(OptionError) {
        let options = keys.map { "--" + $0 }.joined(separator: ", ")
        if camera == .none {
            let need = keys.count == 1 ? "needs" : "need"
            throw OptionError(
                "\(options) \(need) a camera, but --camera is none: remove \(options)", about: ["camera"] + keys)
        }
        if video == .passthrough {
            throw OptionError(
                "\(options) \(verb) decoded frames, but --codec passthrough stores the camera's packets unchanged: "
                    + "write --codec h264, or remove \(options)", about: ["codec"] + keys)
        }
        if let codec = dependentCodec {
            throw OptionError(
                "\(options) \(verb) decoded frames, but the camera's \(codec.title) is not decoded: "
                    + "write --pixel-format mjpeg, or remove \(options)", about: ["pixel-format"] + keys)
        }
    }
}
