import Capture

/// The receiver of a device's events on behalf of one connection.
///
/// Called on the device's own thread, one call at a time. A method must take constant time and must not wait, because
/// the thread does not read the device meanwhile.
protocol CaptureSink: AnyObject, Sendable {
    func receive(_ event: DeviceEvent)
}
