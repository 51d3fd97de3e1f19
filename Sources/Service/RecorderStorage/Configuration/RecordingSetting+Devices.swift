package import CommandInterface
package import MediaTypes

// The camera with its settings, and the microphone.
extension RecordingSetting {
    package static let camera = value(
        "camera", "Path, name, rtsp:// URL, libcamera:NAME, test or none.", "name", \.camera,
        parse: RecordingConfiguration.Device.init(parsing:), text: \.text,
        displaces: { text in
            // Without a camera there is nothing that masks could hide.
            if text == "none" {
                return RecordingConfiguration.deviceSettings + ["every", "substream"]
                    + RecordingSetting.frames.map(\.key)
            }
            // A network camera has these settings itself.
            if NetworkCameraAddress.isURL(text) { return RecordingConfiguration.deviceSettings }
            return text.hasPrefix(LibcameraName.prefix) ? ["camera-input"] : []
        })

    package static let microphone = value(
        "microphone", "Microphone: name, camera, test or none.", "name", \.microphone,
        parse: RecordingConfiguration.Device.init(parsingMicrophone:), text: \.text)

    package static let cameraCredentials = optional(
        "camera-credentials", "File with USER:PASSWORD of a network camera.", "file", \.cameraCredentials,
        parse: { (text) throws(OptionError) in try fileName(text, example: "/etc/recorder/front.login") },
        text: { $0 }
    )
    .rare

    package static let cameraCertificate = optional(
        "camera-certificate", "File with the certificate of an rtsps:// camera.", "file", \.cameraCertificate,
        parse: { (text) throws(OptionError) in try fileName(text, example: "/etc/recorder/front.pem") },
        text: { $0 }
    )
    .rare

    private static func fileName(_ text: String, example: String) throws(OptionError) -> String {
        guard isPlain(text) else { throw OptionError(text, isNot: "the name of a file", write: example) }
        return text
    }

    package static let cameraTransport = value(
        "camera-transport", "Network camera's transport: tcp, udp or auto.", "transport",
        \.cameraTransport, parse: CameraTransport.init(parsing:), text: { $0.rawValue }
    )
    .rare

    package static let cameraInput = optional(
        "camera-input", "Input of the camera: name or number.", "input", \.cameraInput,
        parse: { (text) throws(OptionError) in
            guard RecordingSetting.isPlain(text) else {
                throw OptionError(
                    text, isNot: "an input of a camera", write: "HDMI, or its number in `recorder devices`")
            }
            return text
        }, text: { $0 }
    )
    .rare

    /// Returns true for text that is not empty and has no control characters.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    package static let size = optional(
        "size", "Frame size, e.g. 1280x720.", "size", \.size, parse: FrameText.parseSize, text: \.description)

    package static let frameRate = optional(
        "frame-rate", "Frames per second: 30, 29.97 or 30000/1001.", "fps", \.frameRate,
        parse: FrameText.parseFrameRate,
        text: { $0.seconds == 1 ? "\($0.frames)" : "\($0.frames)/\($0.seconds)" })

    package static let pixelFormat = optional(
        "pixel-format", "Camera pixel format: mjpeg, yuyv, nv12, h264 …", "pf", \.pixelFormat,
        parse: FrameText.parsePixelFormat, text: \.rawValue
    )
    .rare

    package static let control = RecordingSetting(
        "control", "Set a camera control by its name; repeatable.", "name=value", shape: .entries,
        read: { (text, draft) throws(OptionError) in
            let control = try CameraControl(parsing: text)
            let index = draft.configuration.controls.firstIndex { $0.name == control.name }
            // The order of the first mentions is kept, because some controls take effect only after others.
            if let index {
                draft.configuration.controls[index] = control
            } else {
                draft.configuration.controls.append(control)
            }
        }, show: { $0.controls.map { "\($0.name)=\($0.text)" } })

    static let devices = [
        camera, microphone, cameraCredentials, cameraCertificate, cameraTransport, cameraInput, size, frameRate,
        pixelFormat, control,
    ]
}

extension RecordingConfiguration.Device {
    /// The choice as text; nil for the default.
    var text: String? {
        switch self {
        case .first: nil
        case .none: "none"
        case .test: "test"
        case .named(let name): name
        case .network(let address): address.text
        case .libcamera(let name): LibcameraName.prefix + name
        case .ofCamera(let isRequired): isRequired ? "camera" : nil
        }
    }
}

extension FrameText {
    package static func parsePixelFormat(_ text: String) throws(OptionError) -> CameraPixelFormat {
        guard let format = CameraPixelFormat(name: text) else {
            let known = CameraPixelFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw OptionError(text, isNot: "a supported pixel format", write: known)
        }
        return format
    }
}
