import AVFoundation
public import Foundation
import MediaTypes

/// The key of the error in the user info of a runtime error. On Linux, also in the user info of an interruption.
public let AVCaptureSessionErrorKey = "AVCaptureSessionErrorKey"
/// The key of a number that is the raw value of an `AVCaptureSession.InterruptionReason`. It is missing if the device
/// was unplugged, because Apple defines no reason for that.
public let AVCaptureSessionInterruptionReasonKey = "AVCaptureSessionInterruptionReasonKey"

extension AVCaptureSession {
    public typealias Preset = AVCaptureSessionPreset

    /// Posted when the session could not start, or ended because of an error.
    public static let runtimeErrorNotification = Notification.Name("AVCaptureSessionRuntimeErrorNotification")
    public static let didStartRunningNotification = Notification.Name("AVCaptureSessionDidStartRunningNotification")
    public static let didStopRunningNotification = Notification.Name("AVCaptureSessionDidStopRunningNotification")
    /// Posted when a device of the running session was unplugged or its driver failed.
    public static let wasInterruptedNotification = Notification.Name("AVCaptureSessionWasInterruptedNotification")
    /// Posted when all devices of the session are back.
    public static let interruptionEndedNotification = Notification.Name("AVCaptureSessionInterruptionEndedNotification")

    public enum InterruptionReason: Int, Sendable {
        case videoDeviceNotAvailableInBackground = 1
        case audioDeviceInUseByAnotherClient = 2
        case videoDeviceInUseByAnotherClient = 3
        case videoDeviceNotAvailableWithMultipleForegroundApps = 4
        case videoDeviceNotAvailableDueToSystemPressure = 5
    }

    /// A notification to post after the thread has left every lock and queue of the session.
    enum Post: Sendable {
        case started, stopped
        case runtimeError(MediaError)
        case interrupted(MediaError, AVCaptureDevice)
        case interruptionEnded
        /// The session opened the device, so the device is connected.
        case connected(AVCaptureDevice)
    }

    func post(_ post: Post) {
        switch post {
        case .started: send(Self.didStartRunningNotification)
        case .stopped: send(Self.didStopRunningNotification)
        case .runtimeError(let error):
            send(Self.runtimeErrorNotification, [AVCaptureSessionErrorKey: AVError(capturing: error)])
        case .interrupted(let error, let device):
            send(Self.wasInterruptedNotification, Self.info(error, device))
        case .interruptionEnded: send(Self.interruptionEndedNotification)
        case .connected(let device): device.setConnected(true)
        }
    }

    private func send(_ name: Notification.Name, _ info: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: info)
    }

    private static func info(_ error: MediaError, _ device: AVCaptureDevice) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [AVCaptureSessionErrorKey: AVError(capturing: error)]
        if error.code == .busy {
            let reason: InterruptionReason =
                device.found.kind == .camera ? .videoDeviceInUseByAnotherClient : .audioDeviceInUseByAnotherClient
            info[AVCaptureSessionInterruptionReasonKey] = reason.rawValue
        }
        return info
    }
}

extension NSNotification.Name {
    public static let AVCaptureSessionRuntimeError = AVCaptureSession.runtimeErrorNotification
    public static let AVCaptureSessionDidStartRunning = AVCaptureSession.didStartRunningNotification
    public static let AVCaptureSessionDidStopRunning = AVCaptureSession.didStopRunningNotification
    public static let AVCaptureSessionWasInterrupted = AVCaptureSession.wasInterruptedNotification
    public static let AVCaptureSessionInterruptionEnded = AVCaptureSession.interruptionEndedNotification
}
