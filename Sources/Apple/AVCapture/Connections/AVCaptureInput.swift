public import AVFoundation
public import Foundation

/// A source of a session; `AVCaptureDeviceInput` is the only kind here.
open class AVCaptureInput: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    /// One port for each kind of media that the input delivers.
    open var ports: [Port] { [] }

    override init() { super.init() }

    /// One stream of an input.
    open class Port: NSObject, @unchecked Sendable {
        // Unchecked: `owner` is set once, by the initializer, and the rest is immutable.
        private weak var owner: AVCaptureInput?
        let device: AVCaptureDevice
        public let mediaType: AVMediaType

        init(_ owner: AVCaptureInput, device: AVCaptureDevice) {
            self.owner = owner
            self.device = device
            mediaType = device.mediaType
            super.init()
        }

        /// The input; it must exist as long as its ports are used.
        open var input: AVCaptureInput {
            guard let owner else { return AVCaptureInput() }
            return owner
        }
        /// The active format of the device.
        open var formatDescription: CMFormatDescription? { device.activeFormat.formatDescription }
        /// The clock that measures the samples' times.
        open var clock: CMClock? { .hostTimeClock }
        open var sourceDeviceType: AVCaptureDevice.DeviceType? { device.deviceType }
        open var sourceDevicePosition: AVCaptureDevice.Position { device.position }
    }
}
