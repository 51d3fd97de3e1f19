import CommandInterface
import Foundation
import Glibc
import MediaTypes
import RTSP
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The settings of a network camera, and what is refused.
@Suite struct NetworkCameraSettingsTests {
    private let directory: TemporaryDirectory
    private static let secret = "geheim"

    init() throws { directory = try TemporaryDirectory() }

    private func source(
        _ flags: [(String, String)] = [], environment: [String: String] = [:], file: String? = nil
    ) throws -> ConfigurationSource {
        ConfigurationSource(
            .standard,
            flags: try flags.map { key, text in
                SettingAssignment(try #require(RecordingSetting.named(key)), text, from: .flag("--\(key)"))
            }, file: file, environment: environment, systemDirectory: directory.path("etc"),
            workingDirectory: directory.url.path)
    }

    /// Writes a file that only its owner may read, unless the mode is another one.
    private func write(_ text: String, _ name: String, mode: mode_t = 0o600) throws -> String {
        try Data(text.utf8).write(to: directory.file(name))
        try #require(chmod(directory.path(name), mode) == 0)
        return directory.path(name)
    }

    private func failure(_ source: ConfigurationSource) -> RecordingFailure? {
        do throws(RecordingFailure) {
            _ = try source.load()
            return nil
        } catch { return error }
    }

    @Test func camera_ofTheNetwork_passesThroughWithItsAudio() throws {
        let configuration = try source([("camera", "rtsp://10.0.0.2/live")]).load()
        #expect(configuration.networkCamera?.text == "rtsp://10.0.0.2/live")
        #expect(configuration.video == .passthrough && configuration.microphone == .ofCamera(isRequired: false))
        let named = try source([("camera", "rtsp://10.0.0.2/live"), ("microphone", "camera"), ("codec", "h264")]).load()
        #expect(named.microphone == .ofCamera(isRequired: true) && named.video != .passthrough)
    }

    @Test func opus_withoutSettingsOfTheAudio_isKept() throws {
        let camera = ("camera", "rtsp://10.0.0.2/live")
        #expect(try source([camera]).load().keepsOpus)
        for setting in [
            ("audio-codec", "pcm"), ("audio-codec", "alac"), ("audio-bit-rate", "64k"), ("channels", "2"),
            ("sample-rate", "44100"), ("codec", "h264"),
        ] {
            #expect(try !source([camera, setting]).load().keepsOpus, "\(setting)")
        }
    }

    @Test func password_inAPrivateFile_isUsedAndNeverShown() throws {
        let file = try write("camera: rtsp://admin:\(Self.secret)@10.0.0.2/live\n", "front.yaml")
        let effective = try source(file: file).resolve()
        #expect(effective.configuration.networkCamera?.credentials != nil)
        #expect(effective.lines.first { $0.key == "camera" }?.value == "rtsp://10.0.0.2/live")
        #expect(!effective.text.contains(Self.secret) && !effective.text.contains("admin"))
        #expect(!"\(effective.configuration)".contains(Self.secret))
    }

    @Test func password_inAQuery_isNotShown() throws {
        let file = try write("camera: rtsp://10.0.0.2/live?user=admin&password=\(Self.secret)\n", "front.yaml")
        let effective = try source(file: file).resolve()
        #expect(effective.lines.first { $0.key == "camera" }?.value == "rtsp://10.0.0.2/…")
    }

    @Test func password_whereOthersReadIt_isRefused() throws {
        let url = "rtsp://admin:\(Self.secret)@10.0.0.2/live"
        let file = try write("camera: \(url)\n", "front.yaml", mode: 0o644)
        let failures = [
            try failure(source([("camera", url)])), try failure(source(environment: ["RECORDER_CAMERA": url])),
            try failure(source(file: file)),
        ]
        #expect(failures.map { $0?.stage } == [.usage, .configuration, .configuration])
        for failure in failures {
            #expect(failure?.error.code == .notPermitted)
            #expect(failure.map { "\($0.error)".contains(Self.secret) } == false)
        }
    }

    @Test(arguments: [
        [("camera", "rtsp://"), ("microphone", "none")], [("camera", "rtsp://10.0.0.2"), ("size", "640x480")],
        [("camera", "rtsp://10.0.0.2"), ("control", "gain=1")], [("microphone", "camera")],
        [("microphone", "rtsp://10.0.0.2")], [("camera", "rtsp://10.0.0.2"), ("mask", "0,0 9,0 9,9")],
        [("camera", "rtsps://10.0.0.2"), ("camera-transport", "udp")],
        [("camera", "rtsp://10.0.0.2"), ("camera-certificate", "front.pem")],
        [("camera", "rtsp://10.0.0.2"), ("crf", "20")], [("camera", "rtsp://10.0.0.2"), ("substream", "320x180@5")],
    ])
    func settings_thatCannotWork_areRefused(flags: [(String, String)]) throws {
        #expect(failure(try source(flags))?.stage == .usage)
    }

    @Test func certificate_ofACameraWithTLS_isReadAsItIs() throws {
        let flags = [("camera", "rtsps://10.0.0.2/live"), ("camera-certificate", try write("PEM", "front.pem"))]
        let configuration = try source(flags).load()
        #expect(configuration.networkCamera?.url.port == 322)
        let name = try #require(configuration.cameraCertificate)
        #expect(try CameraCertificate.read(name, credentials: nil) == Array("PEM".utf8))
        // The name of a systemd credential.
        #expect(throws: Never.self) { try CameraCertificate.read("front.pem", credentials: directory.url.path) }
        let error = #expect(throws: MediaError.self) { try CameraCertificate.read(name + "x", credentials: nil) }
        #expect(error?.underlying == .errno(ENOENT))
    }

    @Test func settings_ofADevice_inAWeakerPlace_areDisplaced() throws {
        let file = try write("camera: /dev/video0\nsize: 640x480\n", "front.yaml")
        #expect(try source([("camera", "rtsp://10.0.0.2")], file: file).load().size == nil)
    }

    @Test func login_ofAFile_isReadIfItIsPrivate() throws {
        let file = try write("admin:\(Self.secret):x\nmore\n", "login")
        #expect(try CameraLogin.read(file, credentials: nil) == .init(user: "admin", password: "\(Self.secret):x"))
        // The name of a systemd credential.
        #expect(throws: Never.self) { try CameraLogin.read("login", credentials: directory.url.path) }
        #expect(chmod(file, 0o640) == 0)
        let error = #expect(throws: MediaError.self) { try CameraLogin.read(file, credentials: nil) }
        #expect(error?.code == .notPermitted)
    }

    @Test(arguments: ["", "admin", ":x"]) func login_withoutAUser_isRefused(text: String) throws {
        let file = try write(text, "login")
        let error = #expect(throws: MediaError.self) { try CameraLogin.read(file, credentials: nil) }
        #expect(error?.code == .invalidSettings)
    }
}
