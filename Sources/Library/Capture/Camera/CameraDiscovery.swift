import Glibc
public import MediaTypes

/// A connected camera.
public struct CameraDevice: Sendable, Hashable {
    /// The device node, such as `/dev/video0`. It may change after a reboot.
    public var path: String
    /// The camera's name according to its driver.
    public var name: String
    public var driver: String
    /// The address of the port that the camera is plugged into.
    public var bus: String
    /// Names that do not change: links in `/dev/v4l/by-id` (the device itself) and `/dev/v4l/by-path` (its port).
    public var stableNames: [String]
    public var capabilities: CameraCapabilities
    /// The reason why the capabilities are unknown: no permission, or a driver that does not respond.
    public var problem: MediaError?
    package var controls: [CameraControl] = []
    /// The inputs that can be selected; most cameras have one.
    package var inputs: [CameraInput] = []

    /// The mode that is used if the request is empty; nil if the camera has no usable mode.
    public var defaultMode: CameraMode? { try? capabilities.mode(for: CameraRequest(), device: path) }
}

/// Finds cameras.
public enum CameraDiscovery {
    /// Returns every camera and its capabilities, ordered by node number.
    ///
    /// Nodes that do not capture video are omitted. So are the nodes of a raw sensor or of a part of an image
    /// processor, because they need libcamera. The search blocks for some milliseconds per camera. A driver that hangs
    /// is reported in `problem` after `patience`.
    public static func cameras(patience: MediaTime = MediaTime(value: 2, timescale: 1)) -> [CameraDevice] {
        search(patience: patience).cameras
    }

    /// The nodes that capture video.
    package struct Nodes: Sendable {
        package var cameras: [CameraDevice]
        /// The nodes that are only a raw sensor or a part of an image processor. libcamera combines several into a
        /// camera.
        package var parts: [String]

        package init(cameras: [CameraDevice] = [], parts: [String] = []) {
            self.cameras = cameras
            self.parts = parts
        }
    }

    /// Returns the same cameras as `cameras(patience:)`, and the nodes that are only parts of a camera.
    package static func search(patience: MediaTime = MediaTime(value: 2, timescale: 1)) -> Nodes {
        let links = stableLinks()
        let paths = nodes()
        var all = Nodes()
        for (path, answer) in zip(paths, probes.answers(of: paths, patience: patience.nanoseconds)) {
            var device: CameraDevice
            switch answer {
            case .notACamera: continue
            case .part:
                all.parts.append(path)
                continue
            case .camera(let found): device = found
            case nil:
                device = unknown(
                    path, MediaError(.ioFailure, "cannot query \(path)", reason: "its driver does not answer"))
            }
            device.stableNames = links.filter { $0.target == path }.map(\.name).sorted()
            all.cameras.append(device)
        }
        return all
    }

    /// True if an error reports that a node is only a raw sensor or a part of an image processor.
    package static func isPart(_ error: MediaError) -> Bool { error.reason == V4L2Device.partReason }

    /// Returns the number of a node (`st_rdev` of stat(2)); nil if it does not exist.
    package static func number(of path: String) -> UInt64? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return UInt64(status.st_rdev)
    }

    /// Returns the default camera: the first usable one, else the first one; nil if no camera is connected.
    public static func first() -> CameraDevice? {
        let all = cameras()
        return all.first { $0.defaultMode != nil } ?? all.first
    }

    /// Returns the node for a camera's name: a path, a stable link, the port that the camera is plugged into
    /// (`usb-0000:00:14.0-2`), or the camera's own name.
    ///
    /// - Throws: `notFound`, listing the connected cameras.
    public static func path(of name: String) throws(MediaError) -> String {
        if name.hasPrefix("/") { return name }
        if name.hasPrefix("video"), nodes().contains("/dev/\(name)") { return "/dev/\(name)" }
        if let link = stableLinks().first(where: { $0.name == name }) { return link.target }
        let all = cameras()
        if let there = all.first(where: { !$0.bus.isEmpty && $0.bus == name }) { return there.path }
        let wanted = name.lowercased()
        if let same = all.first(where: { $0.name.lowercased() == wanted }) { return same.path }
        let alike = all.filter { !wanted.isEmpty && $0.name.lowercased().contains(wanted) }
        if alike.count == 1 { return alike[0].path }
        let names = all.map { "\($0.path) (\($0.name))" }
        throw MediaError(
            .notFound, "cannot open the camera \"\(name)\"",
            reason: alike.isEmpty ? "no camera has that name" : "several cameras have that name",
            wayOut: names.isEmpty ? "no camera is connected" : "connected: \(names.joined(separator: ", "))")
    }

    /// Returns the current node of a camera; nil while it is disconnected. Briefly opens the cameras that it may be,
    /// without streaming. Blocks for at most two seconds, even if the driver of another camera hangs.
    public static func path(of camera: CameraIdentity) -> String? {
        path(of: camera, among: nodes().filter(camera.mayBe(node:)), identities)
    }

    /// Returns the node with this identity; nil if there is none, or if it does not answer in time.
    static func path(
        of camera: CameraIdentity, among paths: [String], _ identities: NodeProbes<CameraIdentity?>,
        patience: Int64 = 2_000_000_000
    ) -> String? {
        let answers = identities.answers(of: paths, patience: patience) { $0 == camera }
        return zip(paths, answers).first { $0.1 == .some(camera) }?.0
    }

    private static let probes = NodeProbes<Probe> { CameraDiscovery.probe($0) }
    /// The identity of each node; nil for a node that is not a camera or cannot be opened.
    private static let identities = NodeProbes<CameraIdentity?> { path in
        (try? V4L2Device(path: path)).map { CameraIdentity($0) }
    }

    /// Returns true if a name still identifies the same camera after its node number changed. Every name does, except
    /// that of a node itself.
    public static func isStable(_ name: String) -> Bool {
        guard name.hasPrefix("/") else { return !(name.hasPrefix("video") && Int(name.dropFirst(5)) != nil) }
        return KernelFiles.target(of: name).map { $0 != name } ?? false
    }

    private enum Probe: Sendable {
        case camera(CameraDevice)
        case part
        case notACamera
    }

    private static func probe(_ path: String) -> Probe {
        do throws(MediaError) {
            let device = try V4L2Device(path: path)
            return .camera(
                CameraDevice(
                    path: path, name: device.card, driver: device.driver, bus: device.bus, stableNames: [],
                    capabilities: V4L2Formats(device: device).read().capabilities,
                    controls: V4L2Controls(device: device).described(), inputs: V4L2Inputs(device: device).all()))
        } catch {
            if isPart(error) { return .part }
            // A node that disappeared in the meantime is not a camera either.
            if error.code == .deviceUnsuitable || error.code == .notFound { return .notACamera }
            return .camera(unknown(path, error))
        }
    }

    private static func unknown(_ path: String, _ problem: MediaError) -> CameraDevice {
        let node = path.split(separator: "/").last.map(String.init) ?? path
        return CameraDevice(
            path: path, name: KernelFiles.firstLine(of: "/sys/class/video4linux/\(node)/name") ?? node, driver: "",
            bus: "", stableNames: [], capabilities: CameraCapabilities(formats: []), problem: problem)
    }

    private static func nodes() -> [String] {
        KernelFiles.names(in: "/dev").compactMap { name -> (Int, String)? in
            guard name.hasPrefix("video"), let number = Int(name.dropFirst(5)) else { return nil }
            return (number, "/dev/\(name)")
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private static func stableLinks() -> [(name: String, target: String)] {
        ["/dev/v4l/by-id", "/dev/v4l/by-path"].flatMap { folder in
            KernelFiles.names(in: folder).compactMap { name in
                KernelFiles.target(of: "\(folder)/\(name)").map { (name, $0) }
            }
        }
    }
}

/// Identifies a camera independently of its current node number: by its port, its name, and the index of the node among
/// the camera's own nodes.
///
/// The serial number is not part of the identity: many cameras have none, or all share one. Therefore a camera that was
/// moved to another port counts as another camera. To find it again after a move, request it by its link in
/// `/dev/v4l/by-id`.
public struct CameraIdentity: Sendable, Hashable {
    /// The bus address, such as `usb-0000:00:14.0-2` (struct v4l2_capability, `bus_info`).
    public let bus: String
    /// The camera's name according to its driver.
    public let card: String
    /// The number of the node among the camera's own nodes (sysfs, `index`); 0 if unknown.
    public let index: Int

    init(_ device: V4L2Device) {
        bus = device.bus
        card = device.card
        index = Self.index(ofNode: KernelFiles.target(of: device.path) ?? device.path)
    }

    init(bus: String, card: String, index: Int = 0) {
        self.bus = bus
        self.card = card
        self.index = index
    }

    /// Returns false if sysfs shows that a node is not of this camera. Does not open the node: its driver may hang, and
    /// another program may use it.
    func mayBe(node path: String) -> Bool {
        guard Self.index(ofNode: path) == index else { return false }
        guard let device = KernelFiles.target(of: Self.folder(ofNode: path) + "/device") else { return true }
        return mayBe(device: device)
    }

    /// Returns false if a device in sysfs is not at this camera's port. Only the ports of USB devices are known there.
    func mayBe(device: String) -> Bool {
        guard bus.hasPrefix("usb-") else { return true }
        // `bus_info` has room for 31 characters.
        return Self.usbPort(of: device).map { $0.prefix(31) == bus.prefix(31) } ?? false
    }

    /// Returns a USB device's port as drivers report it (usb_make_path() of the kernel): the name of the controller,
    /// and the path of ports. nil for another device.
    private static func usbPort(of device: String) -> String? {
        let parts = device.split(separator: "/").map(String.init)
        guard let root = parts.firstIndex(where: { $0.hasPrefix("usb") && Int($0.dropFirst(3)) != nil }), root > 0
        else { return nil }
        let number = "\(parts[root].dropFirst(3))-"
        guard let port = parts[root...].last(where: { $0.hasPrefix(number) && !$0.contains(":") }) else { return nil }
        return "usb-\(parts[root - 1])-\(port.dropFirst(number.count))"
    }

    private static func index(ofNode path: String) -> Int {
        KernelFiles.firstLine(of: folder(ofNode: path) + "/index").flatMap { Int($0) } ?? 0
    }

    private static func folder(ofNode path: String) -> String {
        "/sys/class/video4linux/\(path.split(separator: "/").last ?? "")"
    }
}
