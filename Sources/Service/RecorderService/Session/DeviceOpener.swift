package import Capture
package import LibcameraCapture
package import MediaTypes
package import NetworkCapture
package import RecorderStorage

/// Opens the devices that a configuration names and keeps them open while the recording lasts. `DeviceOpener` is the
/// real implementation.
package protocol DeviceFactory: Sendable {
    /// Opens the devices without starting to stream. Blocks for as long as the drivers take. If it throws, no device
    /// remains open.
    ///
    /// - Returns: The devices. A device is nil if it is not wanted. The microphone is also nil if none is connected and
    ///   none was named.
    func openKeepers(
        _ configuration: RecordingConfiguration
    ) throws(MediaError) -> (camera: DeviceKeeper?, microphone: DeviceKeeper?)

    /// The packets of a network camera so far, over all connections; nil for other cameras. Thread-safe.
    var reception: ReceptionFigures? { get }
}

extension DeviceFactory {
    package var reception: ReceptionFigures? { nil }
}

/// Opens cameras and microphones of this machine, cameras behind libcamera, network cameras, and the test sources.
package struct DeviceOpener: DeviceFactory {
    private let report: @Sendable (String) -> Void
    private let helper: HelperLauncher
    private let totals = ReceptionTotals()

    package var reception: ReceptionFigures? { totals.figures }

    /// - Parameters:
    ///   - helper: Starts the helper of a camera behind libcamera.
    ///   - report: Logs a network camera's deviations from the protocol. Called on the camera's thread, so it must not
    ///     block.
    package init(
        helper: HelperLauncher = LibcameraProgram().launcher, report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.helper = helper
        self.report = report
    }

    package func openKeepers(
        _ configuration: RecordingConfiguration
    ) throws(MediaError) -> (camera: DeviceKeeper?, microphone: DeviceKeeper?) {
        if let address = configuration.networkCamera { return try networkKeepers(address, configuration) }
        let watcher = DeviceWatcher()
        let camera = try cameraKeeper(configuration, watcher)
        do throws(MediaError) {
            let microphone = try microphone(configuration).map { open throws(MediaError) in
                try DeviceKeeper(name: "microphone", hotplug: watcher, open: open)
            }
            return (camera, microphone)
        } catch {
            camera?.stop()
            throw error
        }
    }

    /// Opens a camera of this machine.
    ///
    /// - Returns: nil if no camera is wanted.
    private func cameraKeeper(
        _ configuration: RecordingConfiguration, _ watcher: DeviceWatcher
    ) throws(MediaError) -> DeviceKeeper? {
        guard let name = configuration.libcameraName else {
            return try camera(configuration).map { open throws(MediaError) in
                try DeviceKeeper(name: "camera", hotplug: watcher, open: open)
            }
        }
        let controls: [(name: String, value: Double)] = configuration.controls.map { ($0.name, $0.number) }
        let libcamera = ReconnectingLibcameraCamera(
            Self.streamRequest(name, configuration), controls: { controls }, launcher: helper)
        let keeper = try DeviceKeeper(name: "camera", hotplug: watcher) { () throws(MediaError) in
            try libcamera.open()
        }
        keeper.whenStopping { libcamera.interrupt() }
        return keeper
    }

    /// Returns the request for a camera behind libcamera. The helper chooses the values that are not configured.
    static func streamRequest(_ name: String, _ configuration: RecordingConfiguration) -> StreamRequest {
        // Frames can be stored without re-encoding only if the camera compresses them.
        var format: FrameFormat? = configuration.video == .passthrough ? .mjpeg : nil
        if let wanted = configuration.pixelFormat { format = FrameFormat(wanted) }
        let interval = configuration.frameRate?.interval.nanoseconds ?? 0
        return StreamRequest(
            camera: name, width: configuration.size?.width ?? 0, height: configuration.size?.height ?? 0,
            format: format, shortestInterval: interval, longestInterval: interval)
    }

    /// Opens a network camera, and its audio or a microphone of this machine.
    private func networkKeepers(
        _ address: NetworkCameraAddress, _ configuration: RecordingConfiguration
    ) throws(MediaError) -> (camera: DeviceKeeper?, microphone: DeviceKeeper?) {
        let login = configuration.cameraCredentials
        var setup = NetworkCameraSetup(address.url) { () throws(MediaError) in
            guard let login else { return address.credentials }
            return try CameraLogin.read(login)
        }
        let certificate = configuration.cameraCertificate
        setup.certificate = { () throws(MediaError) in
            guard let certificate else { return nil }
            return try CameraCertificate.read(certificate)
        }
        switch configuration.cameraTransport {
        case .tcp: setup.transport = .tcp
        case .udp: setup.transport = .datagrams
        case .auto: setup.transport = .automatic
        }
        if case .ofCamera = configuration.microphone { setup.wantsAudio = true }
        setup.keepsOpus = configuration.keepsOpus
        setup.report = report
        setup.totals = totals
        let network = ReconnectingNetworkCamera(setup)
        let camera = try DeviceKeeper(name: "camera") { () throws(MediaError) in try network.open() }
        camera.whenStopping { network.interrupt() }
        do throws(MediaError) {
            guard case .ofCamera(let isRequired) = configuration.microphone else {
                let watcher = DeviceWatcher()
                let microphone = try microphone(configuration).map { open throws(MediaError) in
                    try DeviceKeeper(name: "microphone", hotplug: watcher, open: open)
                }
                return (camera, microphone)
            }
            return (camera, try audioKeeper(network, isRequired: isRequired))
        } catch {
            camera.stop()
            throw error
        }
    }

    /// Opens the audio of a network camera.
    ///
    /// - Returns: nil if the camera has no audio and none is required.
    private func audioKeeper(
        _ network: ReconnectingNetworkCamera, isRequired: Bool
    ) throws(MediaError) -> DeviceKeeper? {
        do throws(MediaError) {
            let keeper = try DeviceKeeper(name: "microphone") { () throws(MediaError) in try network.openAudio() }
            network.whenOpen { [weak keeper] in keeper?.tryNow() }
            return keeper
        } catch {
            guard !isRequired, error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Returns a function that opens the camera, for the first time and after each disconnect; nil if no camera is
    /// wanted.
    private func camera(_ configuration: RecordingConfiguration) -> DeviceKeeper.Open? {
        let name: String?
        switch configuration.camera {
        case .none: return nil
        case .test:
            let size = configuration.size ?? FrameSize(1280, 720)
            let rate = configuration.frameRate ?? FrameRate(30)
            return { () throws(MediaError) in
                try TestCamera(width: size.width, height: size.height, frameRate: rate)
            }
        case .named(let device): name = device
        case .first: name = nil
        // `networkKeepers` opens `.network`, and `cameraKeeper` opens `.libcamera`. `.ofCamera` is not a camera.
        case .network, .libcamera, .ofCamera: return nil
        }
        // Frames can be stored without re-encoding only if the camera compresses them.
        let isPassthrough = configuration.video == .passthrough
        var request = CameraRequest(
            size: configuration.size, frameRate: configuration.frameRate,
            pixelFormat: configuration.pixelFormat ?? (isPassthrough ? .h264 : nil))
        request.input = configuration.cameraInput
        var controls: [(name: String, value: Int64)] = []
        for control in configuration.controls {
            // `validateLibcamera` refuses fractions for these cameras.
            if let value = control.value { controls.append((control.name, value)) }
        }
        let camera = ReconnectingCamera(
            name, request: request, controls: { [controls] in controls }, isPassthrough: isPassthrough)
        let helper = self.helper
        return { () throws(MediaError) in
            do throws(MediaError) {
                return try camera.open()
            } catch {
                throw LibcameraCameras.explained(error, name, helper: helper)
            }
        }
    }

    /// Returns a function that opens the microphone. Returns nil if no microphone is wanted, or if none is connected
    /// and none was named.
    ///
    /// - Throws: `notFound` if no microphone is connected and audio would be the only track.
    private func microphone(_ configuration: RecordingConfiguration) throws(MediaError) -> DeviceKeeper.Open? {
        let rate = configuration.audio.sampleRate
        let channels = configuration.audio.channelCount
        let name: String
        switch configuration.microphone {
        case .none: return nil
        case .test:
            return { () throws(MediaError) in
                try TestMicrophone(sampleRate: rate ?? 48_000, channelCount: channels ?? 2)
            }
        case .named(let device): name = device
        case .network, .libcamera, .ofCamera: return nil
        case .first:
            guard let first = MicrophoneDiscovery.first() else {
                guard configuration.camera != .none else {
                    throw MediaError(
                        .notFound, "cannot find a microphone", reason: "none is connected",
                        wayOut: "connect one, or use --microphone test")
                }
                return nil
            }
            name = first.name
        }
        let microphone = ReconnectingMicrophone(name, request: MicrophoneRequest(sampleRate: rate, channels: channels))
        return { () throws(MediaError) in try microphone.open() }
    }
}
