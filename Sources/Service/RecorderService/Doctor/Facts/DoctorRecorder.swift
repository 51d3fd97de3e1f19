import RecorderStorage

/// A recorder that `recorder doctor` examines: its settings, and the process that runs under its name.
struct DoctorRecorder: Sendable {
    var configuration: RecordingConfiguration
    var isRunning = false
    /// The process that runs under the recorder's name; nil if none runs, or if its number is unknown.
    var processID: Int32?

    var name: String { configuration.name.description }

    /// True if a real camera is recorded.
    var usesCamera: Bool { Self.isDevice(configuration.camera) }
    /// True if the camera is behind libcamera.
    var usesLibcamera: Bool { configuration.libcameraName != nil }
    /// True if a real microphone is recorded.
    var usesMicrophone: Bool { Self.isDevice(configuration.microphone) }

    /// True if the recorder can record only if this user may open a sound card. False for a name such as `default`,
    /// because then a sound server opens the card.
    var needsSoundCard: Bool {
        switch configuration.microphone {
        case .first: configuration.camera == .none
        case .named(let name): name.hasPrefix("hw:") || name.hasPrefix("plughw:")
        case .none, .test, .network, .libcamera, .ofCamera: false
        }
    }

    private static func isDevice(_ device: RecordingConfiguration.Device) -> Bool {
        switch device {
        case .first, .named, .libcamera: true
        case .none, .test, .network, .ofCamera: false
        }
    }
}
