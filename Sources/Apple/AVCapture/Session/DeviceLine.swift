import Capture
import MediaTypes
import RealTime

/// An open device of a session, and the connections that get its samples.
final class DeviceLine: Sendable {
    /// A connection, and the receiver that its output has for it.
    struct Target: Sendable {
        let connection: AVCaptureConnection
        let sink: any CaptureSink
    }

    /// A rare event that the session must handle.
    enum Notice: Sendable {
        case gone(MediaError)
        case back
    }

    let device: AVCaptureDevice
    let mode: DeviceMode
    private let keeper: DeviceKeeper
    private let targets = Locked<[Target]>([])

    /// Opens the device.
    init(_ device: AVCaptureDevice, hotplug: DeviceWatcher) throws(MediaError) {
        self.device = device
        let mode = device.mode
        self.mode = mode
        keeper = try DeviceKeeper(
            name: device.found.kind == .camera ? "camera" : "microphone", hotplug: hotplug,
            open: device.found.opener(mode) { device.state.withLock { $0.controls } })
    }

    /// The format of the samples.
    var format: FormatDescription { keeper.format }

    func setTargets(_ list: [Target]) { targets.withLock { $0 = list } }

    /// Begins streaming.
    ///
    /// - Parameter notice: Called on the device's thread or its keeper's.
    func start(_ notice: @escaping @Sendable (Notice) -> Void) throws(MediaError) {
        let targets = targets
        try keeper.start { event in
            // From here on, this is the device's thread and must do only constant work.
            let targets = targets.withLock { $0 }
            if case .back(let format, _, _, _) = event {
                for target in targets { target.connection.setSource(format) }
            }
            for target in targets where target.connection.isEnabled {
                if case .sample(let sample) = event, sample.format.mediaType == .audio {
                    target.connection.meter.keep(sample)
                }
                target.sink.receive(event)
            }
            switch event {
            case .gone(let error): notice(.gone(error))
            case .back: notice(.back)
            case .sample, .lost: break
            }
        }
    }

    /// Closes the device. Waits for the device's driver, but at most ten seconds.
    func stop() { keeper.stop() }

    func retry() { keeper.tryNow() }
}
