import Capture
import FakeDevices
import MediaTypes
import RealTime

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Opens the test's devices and keeps their keepers, so that a test decides when to look for a device.
final class FakeOpener: DeviceFactory {
    private let camera: FakeDevice?
    private let microphone: FakeDevice?
    private let error: MediaError?
    private let keepers = Locked<[DeviceKeeper]>([])

    init(camera: FakeDevice? = nil, microphone: FakeDevice? = nil, error: MediaError? = nil) {
        self.camera = camera
        self.microphone = microphone
        self.error = error
    }

    func openKeepers(
        _ configuration: RecordingConfiguration
    ) throws(MediaError) -> (camera: DeviceKeeper?, microphone: DeviceKeeper?) {
        if let error { throw error }
        return (try keeper("camera", camera), try keeper("microphone", microphone))
    }

    private func keeper(_ name: String, _ device: FakeDevice?) throws(MediaError) -> DeviceKeeper? {
        guard let device else { return nil }
        let keeper = try DeviceKeeper(name: name) { () throws(MediaError) in try device.open() }
        keepers.withLock { $0.append(keeper) }
        return keeper
    }

    /// Looks for the devices, as after a hotplug event.
    func lookAgain() { for keeper in keepers.withLock({ $0 }) { keeper.tryNow() } }
}
