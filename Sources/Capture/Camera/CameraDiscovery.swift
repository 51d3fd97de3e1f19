import Glibc
public import MediaTypes
import RealTime

/// A camera that is plugged in.
public struct CameraDevice: Sendable, Hashable {
    /// `/dev/video0`; may be another one after the next start of the machine.
    public var path: String
    /// The name that its driver gives it.
    public var name: String
    public var driver: String
    /// Where it is plugged in.
    public var bus: String
    /// Names that stay: links in `/dev/v4l/by-id` (the device itself) and `/dev/v4l/by-path` (the socket it is in).
    public var stableNames: [String]
    public var capabilities: CameraCapabilities
    /// Why nothing is known about it: no permission, or a driver that does not answer.
    public var problem: MediaError?

    /// The mode that is used when nothing is asked for; nil when nothing can be.
    public var defaultMode: CameraMode? { try? capabilities.mode(for: CameraRequest(), device: path) }
}

/// Finds cameras.
public enum CameraDiscovery {
    /// Every camera, in the order of its number, with what it can do.
    ///
    /// Nodes that do not capture video are left out. Blocks for some milliseconds a camera; a driver that hangs is
    /// reported after `patience`, by its `problem`.
    public static func cameras(patience: MediaTime = MediaTime(value: 2, timescale: 1)) -> [CameraDevice] {
        let links = stableLinks()
        let found = nodes().map { path in (path, Locked<Probe?>(nil)) }
        for (path, answer) in found {
            // A driver that hangs in open(2) or an ioctl cannot be interrupted: its thread is left behind.
            _ = try? NamedThread("camera probe") {
                let result = probe(path)
                answer.withLock { $0 = result }
                answer.broadcast()
            }
        }
        let deadline = MonotonicClock().nanoseconds + patience.nanoseconds
        return found.compactMap { path, answer in
            let left = deadline - MonotonicClock().nanoseconds
            var device: CameraDevice
            switch answer.waiting(atMost: left, until: { $0 }) {
            case .notACamera: return nil
            case .camera(let found): device = found
            case nil:
                device = unknown(
                    path, MediaError(.ioFailure, "cannot ask \(path)", reason: "its driver does not answer"))
            }
            device.stableNames = links.filter { $0.target == path }.map(\.name).sorted()
            return device
        }
    }

    /// The first camera that can be used, for when nobody chose one.
    public static func first() -> CameraDevice? {
        let all = cameras()
        return all.first { $0.defaultMode != nil } ?? all.first
    }

    /// The node that somebody means by a path, by the name of a stable link, by the socket that the camera is plugged into
    /// (`usb-0000:00:14.0-2`), or by a camera's own name.
    ///
    /// - Throws: `notFound`, naming the cameras that are there.
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
            wayOut: names.isEmpty ? "no camera is plugged in" : "there is \(names.joined(separator: ", "))")
    }

    /// The node that a camera has now; nil while it is away. Opens each camera for an instant, without streaming.
    public static func path(of camera: CameraIdentity) -> String? {
        nodes().first { path in
            guard let device = try? V4L2Device(path: path) else { return false }
            return CameraIdentity(device) == camera
        }
    }

    /// Whether a name means the same camera whatever number its node has: any but that of a node itself.
    public static func isStable(_ name: String) -> Bool {
        guard name.hasPrefix("/") else { return !(name.hasPrefix("video") && Int(name.dropFirst(5)) != nil) }
        return target(of: name).map { $0 != name } ?? false
    }

    /// Where a link leads; the path itself of what is no link; nil of what is not there.
    static func target(of path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private enum Probe: Sendable {
        case camera(CameraDevice)
        case notACamera
    }

    private static func probe(_ path: String) -> Probe {
        do throws(MediaError) {
            let device = try V4L2Device(path: path)
            return .camera(
                CameraDevice(
                    path: path, name: device.card, driver: device.driver, bus: device.bus, stableNames: [],
                    capabilities: V4L2Formats(device: device).read().capabilities))
        } catch {
            // A node that went away in the meantime is none either.
            if error.code == .deviceUnsuitable || error.code == .notFound { return .notACamera }
            return .camera(unknown(path, error))
        }
    }

    private static func unknown(_ path: String, _ problem: MediaError) -> CameraDevice {
        let node = path.split(separator: "/").last.map(String.init) ?? path
        return CameraDevice(
            path: path, name: firstLine(of: "/sys/class/video4linux/\(node)/name") ?? node, driver: "", bus: "",
            stableNames: [], capabilities: CameraCapabilities(formats: []), problem: problem)
    }

    private static func nodes() -> [String] {
        names(in: "/dev").compactMap { name -> (Int, String)? in
            guard name.hasPrefix("video"), let number = Int(name.dropFirst(5)) else { return nil }
            return (number, "/dev/\(name)")
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private static func stableLinks() -> [(name: String, target: String)] {
        ["/dev/v4l/by-id", "/dev/v4l/by-path"].flatMap { folder in
            names(in: folder).compactMap { name in target(of: "\(folder)/\(name)").map { (name, $0) } }
        }
    }

    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    static func firstLine(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        guard fgets(&buffer, 256, file) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

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
