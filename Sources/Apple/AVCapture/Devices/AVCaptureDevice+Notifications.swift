public import Foundation

extension AVCaptureDevice {
    /// Posted, with the device as its object, when a search finds a new device. Also posted when an unplugged device of
    /// a running session is connected again.
    public static let wasConnectedNotification = Notification.Name("AVCaptureDeviceWasConnectedNotification")
    /// Posted when a search no longer finds a device, and when a device of a running session is unplugged.
    public static let wasDisconnectedNotification = Notification.Name("AVCaptureDeviceWasDisconnectedNotification")
}

extension NSNotification.Name {
    public static let AVCaptureDeviceWasConnected = AVCaptureDevice.wasConnectedNotification
    public static let AVCaptureDeviceWasDisconnected = AVCaptureDevice.wasDisconnectedNotification
}
