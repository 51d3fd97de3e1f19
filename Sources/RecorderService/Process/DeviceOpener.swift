import Capture
public import MediaTypes

/// Opens real cameras and microphones, and the test sources.
public struct DeviceOpener: SourceOpener {
    public init() {}

    public func open(_ configuration: RecordingConfiguration) throws(MediaError) -> RecordingSources {
        var sources = RecordingSources()
        sources.camera = try camera(configuration)
        do throws(MediaError) {
            sources.microphone = try microphone(configuration)
        } catch {
            sources.stop()
            throw error
        }
        return sources
    }

    private func camera(_ configuration: RecordingConfiguration) throws(MediaError) -> (any CaptureSource)? {
        let device: String
        switch configuration.camera {
        case .none: return nil
        case .test:
            let size = configuration.size ?? FrameSize(1280, 720)
            return try TestCamera(
                width: size.width, height: size.height, frameRate: configuration.frameRate ?? FrameRate(30))
        case .named(let name): device = name
        case .first:
            guard let first = CameraDiscovery.first() else {
                throw MediaError(
                    .notFound, "cannot find a camera", reason: "none is connected",
                    wayOut: "--camera test needs none, --camera none records sound alone")
            }
            device = first.path
        }
        // Pictures that are stored as they come must come compressed.
        let isPassthrough = configuration.video == .passthrough
        let request = CameraRequest(
            size: configuration.size, frameRate: configuration.frameRate,
            pixelFormat: configuration.pixelFormat ?? (isPassthrough ? .h264 : nil))
        return try V4L2Camera(
            device: device, request: request, controls: configuration.controls.map { ($0.name, $0.value) })
    }

    private func microphone(_ configuration: RecordingConfiguration) throws(MediaError) -> (any CaptureSource)? {
        let rate = configuration.audio.sampleRate
        let channels = configuration.audio.channelCount
        switch configuration.microphone {
        case .none: return nil
        case .test: return try TestMicrophone(sampleRate: rate ?? 48_000, channelCount: channels ?? 2)
        case .named(let name):
            return try ALSAMicrophone(device: name, request: MicrophoneRequest(sampleRate: rate, channels: channels))
        case .first:
            guard let first = MicrophoneDiscovery.first() else {
                guard configuration.camera != .none else {
                    throw MediaError(
                        .notFound, "cannot find a microphone", reason: "none is connected",
                        wayOut: "--microphone test needs none")
                }
                return nil
            }
            return try ALSAMicrophone(
                device: first.name, request: MicrophoneRequest(sampleRate: rate, channels: channels))
        }
    }
}
