import Capture

/// The receiver of a device's events on behalf of one connection.
///
/// Called on the device's own thread, one call at a time. It must do constant work and must not wait: the device is not
/// read while it runs.
protocol CaptureSink: AnyObject, Sendable {
    func receive(_ event: DeviceEvent)
}
