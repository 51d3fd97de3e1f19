import CV4L2
import Glibc
import MediaTypes

/// An open V4L2 node, used through libv4l2 so that vendor formats can be converted if nothing else is usable.
///
/// Source: the Linux media API (V4L2), open(), QUERYCAP; libv4l2.h.
final class V4L2Device: Sendable {
    let path: String
    /// The camera's name according to its driver.
    let card: String
    let driver: String
    /// The address of the port that the camera is plugged into, such as `usb-0000:00:14.0-4`.
    let bus: String
    /// The file descriptor. Owned by this object; closed in `deinit`.
    let descriptor: Int32

    /// Opens the node without blocking (O_NONBLOCK) and checks that it captures video by streaming.
    ///
    /// - Throws: `notFound`, `busy`, `notPermitted`, `deviceUnsuitable`, or the error for the errno.
    init(path: String) throws(MediaError) {
        cv4l2_silence()
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.openError(errno, path: path) }
        guard status.st_mode & S_IFMT == S_IFCHR else { throw Self.notACamera(path, "not a device") }
        let descriptor = cv4l2_open(path)
        guard descriptor >= 0 else { throw Self.openError(errno, path: path) }
        var isKept = false
        defer { if !isKept { close(descriptor) } }

        var capability = v4l2_capability()
        let code = withUnsafeMutablePointer(to: &capability) { cv4l2_raw_ioctl(descriptor, CV4L2_QUERYCAP, $0) }
        if code == ENOTTY || code == EINVAL { throw Self.notACamera(path, "not a video device") }
        guard code == 0 else { throw Self.openError(code, path: path) }
        let isOfNode = capability.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        let can = isOfNode ? capability.device_caps : capability.capabilities
        guard can & UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0 else {
            throw Self.notACamera(path, "it does not capture video")
        }
        guard can & UInt32(V4L2_CAP_STREAMING) != 0 else { throw Self.notACamera(path, "it cannot stream") }
        // A media controller sets this node's formats. What the node captures depends on other nodes that libcamera
        // sets up.
        guard can & UInt32(V4L2_CAP_IO_MC) == 0 else {
            throw MediaError(
                .deviceUnsuitable, "cannot record from \(path)", reason: Self.partReason,
                wayOut: "libcamera makes a camera of it: `recorder devices` lists it as libcamera:NAME")
        }
        // libv4l2 owns the descriptor from here on: v4l2_close closes it.
        guard v4l2_fd_open(descriptor, V4L2_ENABLE_ENUM_FMT_EMULATION) >= 0 else {
            throw Self.openError(errno, path: path)
        }
        isKept = true
        self.path = path
        self.descriptor = descriptor
        card = Self.text(capability.card)
        driver = Self.text(capability.driver)
        bus = Self.text(capability.bus_info)
    }

    deinit { v4l2_close(descriptor) }

    /// The reason in the error for a node that only libcamera can use.
    static let partReason = "it is only a raw sensor or a part of an image processor"

    /// Calls one ioctl, and repeats the call after EINTR. Returns 0 or the errno.
    func call<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
        withUnsafeMutablePointer(to: &argument) { cv4l2_ioctl(descriptor, request, $0) }
    }

    /// Returns a fixed array of bytes as text, up to its first zero.
    static func text<Bytes>(_ bytes: Bytes) -> String {
        withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Returns the error for a node that could not be opened, with advice.
    static func openError(_ number: Int32, path: String) -> MediaError {
        let action = "cannot open \(path)"
        switch number {
        case ENOENT, ENOTDIR:
            return MediaError(
                .notFound, action, reason: "no such camera", underlying: .errno(number),
                wayOut: "`recorder devices` lists the connected cameras")
        case ENODEV, ENXIO:
            return MediaError(
                .notFound, action, reason: "the camera is not connected", underlying: .errno(number),
                wayOut: "`recorder devices` lists the connected cameras")
        case EBUSY:
            let node = KernelFiles.target(of: path)
            return MediaError(
                .busy, action, reason: DeviceHolders.reason { $0 == node }, underlying: .errno(number),
                wayOut: "run `fuser \(path)` to see which")
        case EACCES, EPERM:
            return MediaError(
                .notPermitted, action, reason: "permission denied", underlying: .errno(number),
                wayOut: "join the group `video`: `sudo usermod -aG video $USER`, then log in again")
        default: return MediaError(errno: number, action)
        }
    }

    private static func notACamera(_ path: String, _ reason: String) -> MediaError {
        MediaError(
            .deviceUnsuitable, "cannot record from \(path)", reason: reason,
            wayOut: "`recorder devices` lists the cameras")
    }
}
