package import CommandInterface
import MediaTypes
package import RTSP

/// The URL of a network camera, and the user and password that it may contain. No description contains the user or the
/// password.
package struct NetworkCameraAddress: Sendable, Hashable {
    package let url: RTSPURL
    package let credentials: Credentials?

    /// Returns true if the user means the text as an RTSP URL, valid or not.
    package static func isURL(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("rtsp://") || start.hasPrefix("rtsps://")
    }

    /// - Throws: an error that does not quote the text, because the text may contain a password.
    package init(parsing text: String) throws(OptionError) {
        do throws(MediaError) {
            (url, credentials) = try RTSPURL.parse(text)
        } catch {
            throw OptionError("cannot use the camera's URL: \(error.reason): write rtsp://HOST/PATH")
        }
    }

    /// The URL without user and password.
    package var text: String { url.label }
}

/// The transport of a network camera's packets.
package enum CameraTransport: String, Sendable, Hashable, CaseIterable {
    /// Within the RTSP connection: no packet is lost.
    case tcp
    /// In datagrams.
    case udp
    /// In datagrams, or within the connection if none arrives or the URL requires TLS.
    case auto

    package init(parsing text: String) throws(OptionError) {
        guard let transport = CameraTransport(rawValue: text) else {
            throw OptionError(text, isNot: "a transport", write: "tcp, udp or auto")
        }
        self = transport
    }
}

extension RecordingConfiguration {
    /// The network camera to record; nil without a camera, and for a camera of a different kind.
    package var networkCamera: NetworkCameraAddress? {
        if case .network(let address) = camera { return address }
        return nil
    }

    /// True if Opus audio of a network camera is stored as the camera sends it, like its video. If a setting requires
    /// another codec or another form of audio, the audio is decoded and encoded instead.
    package var keepsOpus: Bool {
        video == .passthrough && audio.codec == .aac && audio.bitRate == nil && audio.sampleRate == nil
            && audio.channelCount == nil
    }

    /// The keys of the settings that only a camera of this machine has.
    static let deviceSettings = ["camera-input", "size", "frame-rate", "pixel-format", "control"]

    /// True if the configuration has a setting that is valid only for a camera of this machine.
    var hasDeviceSettings: Bool {
        cameraInput != nil || size != nil || frameRate != nil || pixelFormat != nil || !controls.isEmpty
    }

    /// Refuses settings that are invalid for a network camera. Also refuses `--microphone camera` without a network
    /// camera.
    func validateNetworkCamera() throws(OptionError) {
        guard let address = networkCamera else {
            if case .ofCamera = microphone {
                throw OptionError(
                    "--microphone camera is the audio of a network camera: write --camera rtsp://HOST/PATH, or name a "
                        + "microphone", about: ["microphone", "camera"])
            }
            return
        }
        if hasDeviceSettings {
            throw OptionError(
                "--camera-input, --size, --frame-rate, --pixel-format and --control are not for a network camera: set "
                    + "them in the camera", about: ["camera"] + Self.deviceSettings)
        }
        if address.url.isSecure, cameraTransport == .udp {
            throw OptionError(
                "--camera-transport udp sends the video without encryption, but the URL requires TLS (rtsps://): write "
                    + "--camera-transport tcp", about: ["camera", "camera-transport"])
        }
        if !address.url.isSecure, cameraCertificate != nil {
            throw OptionError(
                "--camera-certificate needs TLS, but the URL is rtsp://: write --camera rtsps://HOST/PATH, or remove "
                    + "--camera-certificate", about: ["camera", "camera-certificate"])
        }
        if address.credentials != nil, cameraCredentials != nil {
            throw OptionError(
                "the user and the password are in --camera and in --camera-credentials: remove them from the URL",
                about: ["camera", "camera-credentials"])
        }
    }
}
