package import AVFoundation
import Foundation
import RealTime

/// Keeps one object for each device that was found.
package final class DeviceRegistry: Sendable {
    package static let shared = DeviceRegistry(MachineHardware())

    private let hardware: any CaptureHardware
    private let known = Locked<[DeviceKind: [AVCaptureDevice]]>([:])

    package init(_ hardware: any CaptureHardware) { self.hardware = hardware }

    package func devices() -> [AVCaptureDevice] { DeviceKind.allCases.flatMap { devices($0) } }

    package func devices(for mediaType: AVMediaType) -> [AVCaptureDevice] {
        switch mediaType {
        case .video: devices(.camera)
        case .audio: devices(.microphone)
        // A muxed device does not exist here: a camera with a microphone is two devices.
        default: []
        }
    }

    /// Searches, and reports devices that were connected or disconnected since the last search for this kind.
    private func devices(_ kind: DeviceKind) -> [AVCaptureDevice] {
        let found = hardware.devices(kind)
        let (all, before) = known.withLock { known in
            let before = known[kind]
            var all = found.map { device in
                before?.first { $0.found.isSame(as: device) } ?? AVCaptureDevice(device)
            }
            let missing = (before ?? []).filter { old in !all.contains { $0.uniqueID == old.uniqueID } }
            let connected = all
            all += missing
            known[kind] = all
            return (connected, before)
        }
        if let before {
            for device in before where !all.contains(where: { $0 === device }) { device.setConnected(false) }
            for device in all where !before.contains(where: { $0 === device }) { device.announce() }
        }
        for device in all { device.setConnected(true) }
        return all
    }
}

extension FoundDevice {
    /// Returns true if a later search found the same device with the same formats, so that its object can be kept. A
    /// device with other formats needs a new object. If the search found no formats, the device is in use, perhaps by
    /// this process, and keeps its object.
    fileprivate func isSame(as later: FoundDevice) -> Bool {
        uniqueID == later.uniqueID && (later.formats.isEmpty || formats == later.formats)
    }
}

extension AVCaptureDevice {
    /// Records whether the device is connected. Posts a notification if this has changed.
    func setConnected(_ isConnected: Bool) {
        let isNews = state.withLock { state in
            defer { state.isConnected = isConnected }
            return state.isConnected != isConnected
        }
        guard isNews else { return }
        NotificationCenter.default.post(
            name: isConnected ? AVCaptureDevice.wasConnectedNotification : AVCaptureDevice.wasDisconnectedNotification,
            object: self)
    }

    /// Posts that the device was connected. Called for a device that no earlier search found.
    fileprivate func announce() {
        NotificationCenter.default.post(name: AVCaptureDevice.wasConnectedNotification, object: self)
    }
}
