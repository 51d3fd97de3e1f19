import CV4L2
import Glibc
import MediaTypes

/// An open V4L2 node, spoken to through libv4l2 (so that vendor formats can be converted where nothing else is usable).
///
/// Source: the Linux media API (V4L2), open(), QUERYCAP; libv4l2.h.
final class V4L2Device: Sendable {
    let path: String
    /// The name that the driver gives the camera.
    let card: String
    let driver: String
    /// Where it is plugged in, as `usb-0000:00:14.0-4`.
    let bus: String
    /// Owned by this object; closed in `deinit`.
    let descriptor: Int32

    /// Opens without blocking (O_NONBLOCK), and makes sure that it captures video by streaming.
    ///
    /// - Throws: `notFound`, `busy`, `notPermitted`, `deviceUnsuitable`, or what the errno says.
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
        // From here on the descriptor is libv4l2's: v4l2_close closes it.
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

    /// One ioctl; again after a signal. 0, or the errno.
    func call<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
        withUnsafeMutablePointer(to: &argument) { cv4l2_ioctl(descriptor, request, $0) }
    }

    /// The same, past libv4l2: for every frame, where it has nothing to convert. It writes a text about each call.
    func callDriver<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
        withUnsafeMutablePointer(to: &argument) { cv4l2_raw_ioctl(descriptor, request, $0) }
    }

    /// A fixed array of bytes up to its first zero.
    static func text<Bytes>(_ bytes: Bytes) -> String {
        withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Why a node could not be opened, and what to do about it.
    static func openError(_ number: Int32, path: String) -> MediaError {
        let action = "cannot open \(path)"
        switch number {
        case ENOENT, ENOTDIR:
            return MediaError(
                .notFound, action, reason: "no such camera", underlying: .errno(number),
                wayOut: "`recorder devices` lists those that are there")
        case ENODEV, ENXIO:
            return MediaError(
                .notFound, action, reason: "the camera is not plugged in", underlying: .errno(number),
                wayOut: "`recorder devices` lists those that are")
        case EBUSY:
            let node = CameraDiscovery.target(of: path)
            return MediaError(
                .busy, action, reason: DeviceHolders.reason { $0 == node }, underlying: .errno(number),
                wayOut: "`fuser \(path)` shows which")
        case EACCES, EPERM:
            return MediaError(
                .notPermitted, action, reason: "permission denied", underlying: .errno(number),
                wayOut: "be a member of the group `video` (`sudo usermod -aG video $USER`, then log in again)")
        default: return MediaError(errno: number, action)
        }
    }

    private static func notACamera(_ path: String, _ reason: String) -> MediaError {
        MediaError(
            .deviceUnsuitable, "cannot record from \(path)", reason: reason,
            wayOut: "`recorder devices` lists the cameras")
    }
}
