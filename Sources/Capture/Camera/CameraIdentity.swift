import Glibc

/// Which camera it is, whatever number its node has today: the socket it is plugged into, its name, and which of the
/// camera's own nodes.
///
/// A serial number is no part of it: many cameras have none, or all the same one. So a camera that was moved to another
/// socket is another one; who wants it back from there asks for it by its link in `/dev/v4l/by-id`.
public struct CameraIdentity: Sendable, Hashable {
    /// `usb-0000:00:14.0-2` (struct v4l2_capability, `bus_info`).
    public let bus: String
    /// The name that its driver gives it.
    public let card: String
    /// The number of the node among the camera's own (sysfs, `index`); 0 where that is not known.
    public let index: Int

    init(bus: String, card: String, index: Int) {
        self.bus = bus
        self.card = card
        self.index = index
    }

    init(_ device: V4L2Device) {
        bus = device.bus
        card = device.card
        index = Self.index(ofNode: CameraDiscovery.target(of: device.path) ?? device.path)
    }

    private static func index(ofNode path: String) -> Int {
        let node = path.split(separator: "/").last ?? ""
        return CameraDiscovery.firstLine(of: "/sys/class/video4linux/\(node)/index").flatMap { Int($0) } ?? 0
    }
}
