public import AVFoundation
import Foundation

/// The permission to use devices of one kind.
public enum AVAuthorizationStatus: Int, Sendable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case authorized = 3
}

extension AVCaptureDevice {
    /// Returns `.denied` if devices of this kind exist and this process has no permission to open any of them.
    /// Otherwise returns `.authorized`. Linux does not ask the user: the permissions of the device node decide.
    public class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
        authorizationStatus(for: mediaType, in: .shared)
    }

    class func authorizationStatus(for mediaType: AVMediaType, in registry: DeviceRegistry) -> AVAuthorizationStatus {
        let devices = registry.devices(for: mediaType)
        let isDenied = !devices.isEmpty && devices.allSatisfy { $0.found.problem?.code == .notPermitted }
        return isDenied ? .denied : .authorized
    }

    /// Calls the handler on a private queue, with true if this process may use the devices.
    @preconcurrency
    public class func requestAccess(
        for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void
    ) {
        DispatchQueue(label: "recorder.capture-access").async {
            handler(AVCaptureDevice.authorizationStatus(for: mediaType) == .authorized)
        }
    }

    /// Returns true if this process may use the devices.
    public class func requestAccess(for mediaType: AVMediaType) async -> Bool {
        await withCheckedContinuation { continuation in
            AVCaptureDevice.requestAccess(for: mediaType) { continuation.resume(returning: $0) }
        }
    }
}
