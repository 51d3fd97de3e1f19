public import AVFoundation
import Foundation

/// A camera or a microphone as the source of a session.
open class AVCaptureDeviceInput: AVCaptureInput, @unchecked Sendable {
    // Unchecked: `madePorts` is set once, by the initializer.
    public let device: AVCaptureDevice
    private var madePorts: [Port] = []

    /// Creates an input. The device is opened when the session starts.
    ///
    /// - Throws: an error if this process may not open the device.
    public init(device: AVCaptureDevice) throws {
        if let problem = device.found.problem, problem.code == .notPermitted { throw AVError(capturing: problem) }
        self.device = device
        super.init()
        madePorts = [Port(self, device: device)]
    }

    open override var ports: [Port] { madePorts }

    open func ports(
        for mediaType: AVMediaType?, sourceDeviceType: AVCaptureDevice.DeviceType?,
        sourceDevicePosition: AVCaptureDevice.Position
    ) -> [Port] {
        ports.filter { port in
            (mediaType ?? port.mediaType) == port.mediaType
                && (sourceDeviceType ?? device.deviceType) == device.deviceType
                && sourceDevicePosition == device.position
        }
    }
}
