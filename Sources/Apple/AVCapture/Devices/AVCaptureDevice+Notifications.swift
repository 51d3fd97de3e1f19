public import Foundation

extension AVCaptureDevice {
    /// Posted with the device as its object when a search finds a device that was not there before, and when an
    /// unplugged device of a running session is back.
    public static let wasConnectedNotification = Notification.Name("AVCaptureDeviceWasConnectedNotification")
    /// Posted when a search no longer finds a device, and when a device of a running session is unplugged.
    public static let wasDisconnectedNotification = Notification.Name("AVCaptureDeviceWasDisconnectedNotification")
}

extension NSNotification.Name {
    public static let AVCaptureDeviceWasConnected = AVCaptureDevice.wasConnectedNotification
    public static let AVCaptureDeviceWasDisconnected = AVCaptureDevice.wasDisconnectedNotification
}
