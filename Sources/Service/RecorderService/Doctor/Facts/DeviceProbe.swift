import Capture
import FileSystem
import Glibc
import LibcameraCapture
import MediaTypes
import RecorderStorage

/// Finds the devices that recorders would use. Opens them briefly, but does not start streaming or change settings.
///
/// Blocks for as long as ALSA takes to answer. A camera whose driver hangs is reported as a problem after two seconds.
struct DeviceProbe: Sendable {
    private let cameras: [CameraDevice]
    /// The nodes that are only parts of a camera behind libcamera.
    private let parts: [String]
    private let libcamera: LibcameraCameras
    private let microphones: [MicrophoneDevice]
    private let firstMicrophone: MicrophoneDevice?
    private let encoders: [EncoderDevice]

    init() {
        let nodes = CameraDiscovery.search()
        cameras = nodes.cameras
        parts = nodes.parts
        libcamera = LibcameraCameras.search(LibcameraProgram(), besides: nodes)
        microphones = MicrophoneDiscovery.microphones()
        firstMicrophone = MicrophoneDiscovery.first()
        encoders = EncoderDiscovery.encoders()
    }

    /// The connected devices, as `recorder devices` lists them.
    var list: DeviceList {
        DeviceList(
            cameras: cameras, microphones: microphones, encoders: encoders, libcamera: libcamera, parts: parts)
    }

    /// Returns the devices of one recorder.
    func devices(of configuration: RecordingConfiguration) -> DeviceFacts {
        let (camera, frames) = findCamera(configuration)
        return DeviceFacts(
            camera: camera, microphone: findMicrophone(configuration), frames: frames,
            encoder: findEncoder(configuration))
    }

    private func findEncoder(_ configuration: RecordingConfiguration) -> DeviceState {
        guard case .v4l2(let path) = configuration.encoder else { return .unused }
        do throws(MediaError) {
            let node = try EncoderDiscovery.h264(path)
            return .present(name: node, title: encoders.first { $0.path == node }?.name ?? node)
        } catch { return path == nil && error.code == .notFound ? .missing : .failed(error) }
    }

    private func findCamera(_ configuration: RecordingConfiguration) -> (DeviceState, FrameFacts?) {
        switch configuration.camera {
        case .none: return (.unused, nil)
        case .test:
            let size = configuration.size ?? FrameSize(1280, 720)
            return (.test, FrameFacts(size: size, rate: configuration.frameRate?.framesPerSecond ?? 30))
        // Network cameras are not contacted, because a connection could disturb a recording: many cameras allow only a
        // few sessions.
        case .network(let address): return (.present(name: address.text, title: "network camera, not examined"), nil)
        case .libcamera(let name): return findLibcamera(name, configuration)
        case .ofCamera: return (.unused, nil)
        case .first:
            guard let first = cameras.first(where: { $0.defaultMode != nil }) ?? cameras.first else {
                return (.missing, nil)
            }
            return examine(first, configuration)
        case .named(let name):
            do throws(MediaError) {
                let path = try CameraDiscovery.path(of: name)
                let node = Self.target(of: path)
                if let camera = cameras.first(where: { $0.path == node }) { return examine(camera, configuration) }
                let names = parts.contains(node) ? libcamera.names(ofNode: node) : []
                throw names.isEmpty ? Self.absence(of: path) : LibcameraCameras.part(path, of: names)
            } catch { return (.failed(error), nil) }
        }
    }

    private func findLibcamera(
        _ name: String, _ configuration: RecordingConfiguration
    ) -> (DeviceState, FrameFacts?) {
        do throws(MediaError) {
            let camera = try libcamera.camera(named: name)
            var frames: FrameFacts?
            if let size = configuration.size, let rate = configuration.frameRate {
                frames = FrameFacts(size: size, rate: rate.framesPerSecond)
            }
            let model = camera.listing.model
            let title = model.isEmpty ? camera.listing.identifier : model
            return (.present(name: LibcameraName.prefix + camera.listing.identifier, title: title), frames)
        } catch { return (.failed(error), nil) }
    }

    private func examine(
        _ camera: CameraDevice, _ configuration: RecordingConfiguration
    ) -> (DeviceState, FrameFacts?) {
        if let problem = camera.problem { return (.failed(problem), nil) }
        do throws(MediaError) {
            if let input = try Self.input(of: camera, configuration) {
                // The formats of another input are known only after selecting that input, which could disturb a
                // recording.
                guard input.isCurrent else {
                    return (.present(name: camera.path, title: "\(camera.name), input \(input.name)"), nil)
                }
                if let fault = input.fault {
                    let error = fault.error("cannot record from \(camera.path)", input: input.name, cause: nil)
                    return (.failed(error), nil)
                }
            }
        } catch { return (.failed(error), nil) }
        // `DeviceOpener` makes the same request.
        let request = CameraRequest(
            size: configuration.size, frameRate: configuration.frameRate,
            pixelFormat: configuration.pixelFormat ?? (configuration.video == .passthrough ? .h264 : nil))
        do throws(MediaError) {
            let mode = try camera.capabilities.mode(for: request, device: camera.path)
            let frames = FrameFacts(size: mode.size, rate: mode.frameRate?.framesPerSecond ?? 30)
            return (.present(name: camera.path, title: camera.name), frames)
        } catch { return (.failed(error), nil) }
    }

    /// Returns the input that a recorder would use; nil if the driver reports none.
    private static func input(
        of camera: CameraDevice, _ configuration: RecordingConfiguration
    ) throws(MediaError) -> CameraInput? {
        guard let text = configuration.cameraInput else { return camera.inputs.first { $0.isCurrent } }
        return try CameraInput.chosen(text, among: camera.inputs, device: camera.path)
    }

    private func findMicrophone(_ configuration: RecordingConfiguration) -> DeviceState {
        switch configuration.microphone {
        case .none: return .unused
        case .test: return .test
        case .ofCamera: return .present(name: "the camera's audio", title: "not examined")
        case .network, .libcamera: return .unused
        case .first:
            guard let firstMicrophone else { return .missing }
            return examine(firstMicrophone, configuration)
        case .named(let name):
            let known = microphones.first { $0.name == name }
            if let known, known.isHardware { return examine(known, configuration) }
            if let problem = MicrophoneDiscovery.problem(of: name) { return .failed(problem) }
            return .present(name: name, title: known?.title ?? name)
        }
    }

    private func examine(_ microphone: MicrophoneDevice, _ configuration: RecordingConfiguration) -> DeviceState {
        if let problem = microphone.problem { return .failed(problem) }
        if let capabilities = microphone.capabilities {
            let request = MicrophoneRequest(
                sampleRate: configuration.audio.sampleRate, channels: configuration.audio.channelCount)
            do throws(MediaError) { _ = try capabilities.choices(for: request, device: microphone.name) } catch {
                return .failed(error)
            }
        }
        return .present(name: microphone.name, title: microphone.title)
    }

    /// Returns the node that a link leads to; the path itself if it does not exist.
    private static func target(of path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return PathText.text(real)
    }

    /// Returns the error for a path that is not the node of a camera.
    private static func absence(of path: String) -> MediaError {
        let wayOut = "`recorder devices` lists the cameras"
        guard access(path, F_OK) == 0 else { return MediaError(errno: errno, "cannot open \(path)", wayOut: wayOut) }
        return MediaError(
            .deviceUnsuitable, "cannot record from \(path)", reason: "it is not a camera", wayOut: wayOut)
    }
}
