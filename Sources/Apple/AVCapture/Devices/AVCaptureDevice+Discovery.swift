public import AVFoundation
public import Foundation

extension AVCaptureDevice {
    /// The kind of a device.
    public struct DeviceType: StringConstant {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Returns the default device: a test device if test devices are included. Otherwise, for video the first usable
    /// camera, and for audio a free sound card or ALSA's `default`.
    public class func `default`(for mediaType: AVMediaType) -> AVCaptureDevice? {
        DeviceRegistry.shared.devices(for: mediaType).first
    }

    /// Returns the default device of a type.
    ///
    /// - Parameter position: Only `.unspecified` finds devices: Linux does not know on which side a camera is.
    public class func `default`(
        _ deviceType: DeviceType, for mediaType: AVMediaType?, position: Position
    ) -> AVCaptureDevice? {
        DiscoverySession(deviceTypes: [deviceType], mediaType: mediaType, position: position).devices.first
    }

    /// Returns all devices: cameras, then microphones. Blocks for some milliseconds per device.
    public class func devices() -> [AVCaptureDevice] { DeviceRegistry.shared.devices() }

    public class func devices(for mediaType: AVMediaType) -> [AVCaptureDevice] {
        DeviceRegistry.shared.devices(for: mediaType)
    }

    /// A search for devices, made each time that `devices` is read.
    open class DiscoverySession: NSObject, @unchecked Sendable {
        // Unchecked: immutable.
        private let deviceTypes: [DeviceType]
        private let mediaType: AVMediaType?
        private let position: Position
        private let registry: DeviceRegistry

        /// - Parameters:
        ///   - deviceTypes: The types. `.builtInWideAngleCamera` and `.builtInMicrophone` find every camera and every
        ///     microphone, since Linux does not know which are built in.
        ///   - mediaType: The kind of devices to find, or nil for cameras and microphones.
        ///   - position: Only `.unspecified` finds devices.
        public convenience init(deviceTypes: [DeviceType], mediaType: AVMediaType?, position: Position) {
            self.init(deviceTypes: deviceTypes, mediaType: mediaType, position: position, registry: .shared)
        }

        package init(
            deviceTypes: [DeviceType], mediaType: AVMediaType?, position: Position, registry: DeviceRegistry
        ) {
            self.deviceTypes = deviceTypes
            self.mediaType = mediaType
            self.position = position
            self.registry = registry
            super.init()
        }

        /// The connected devices of these types. Blocks for some milliseconds per device.
        open var devices: [AVCaptureDevice] {
            guard position == .unspecified else { return [] }
            let found = mediaType.map { registry.devices(for: $0) } ?? registry.devices()
            return found.filter { device in deviceTypes.contains { $0.includes(device.found.kind) } }
        }
    }
}

/// A protocol whose extension has an initializer that returns an existing object. A class itself cannot have such an
/// initializer.
public protocol AVCaptureDeviceLookup {}

extension AVCaptureDevice: AVCaptureDeviceLookup {}

extension AVCaptureDeviceLookup {
    /// Returns the object of the device with this ID; nil if it is not connected.
    public init?(uniqueID deviceUniqueID: String) {
        let devices = DeviceRegistry.shared.devices()
        guard let device = devices.first(where: { $0.uniqueID == deviceUniqueID }) as? Self else { return nil }
        self = device
    }
}

extension AVCaptureDevice.DeviceType {
    public static let builtInWideAngleCamera = Self("AVCaptureDeviceTypeBuiltInWideAngleCamera")
    /// A camera. On Linux, every camera is of this type.
    public static let external = Self("AVCaptureDeviceTypeExternal")
    public static let externalUnknown = Self("AVCaptureDeviceTypeExternalUnknown")
    public static let microphone = Self("AVCaptureDeviceTypeMicrophone")
    public static let builtInMicrophone = Self("AVCaptureDeviceTypeBuiltInMicrophone")

    func includes(_ kind: DeviceKind) -> Bool {
        switch self {
        case .builtInWideAngleCamera: kind == .camera
        case .microphone, .builtInMicrophone: kind == .microphone
        case .external, .externalUnknown: true
        default: false
        }
    }
}
