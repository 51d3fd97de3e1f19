import CV4L2
import Glibc
import MediaTypes

/// An open node of a memory-to-memory device.
///
/// Source: the Linux media API, QUERYCAP, V4L2_CAP_VIDEO_M2M and V4L2_CAP_VIDEO_M2M_MPLANE.
final class EncoderNode: Sendable {
    let path: String
    let card: String
    let driver: String
    /// Owned by this object; closed in `deinit`.
    let descriptor: Int32
    let isMultiplanar: Bool

    /// - Throws: `deviceUnsuitable` for a node that is not a memory-to-memory device; `notFound`, `notPermitted`,
    ///   `busy`, or the error for the errno.
    init(path: String) throws(MediaError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.error(errno, path) }
        guard status.st_mode & S_IFMT == S_IFCHR else { throw Self.noEncoder(path, "not a device") }
        let descriptor = cv4l2_open(path)
        guard descriptor >= 0 else { throw Self.error(errno, path) }
        var isKept = false
        defer { if !isKept { close(descriptor) } }
        var capability = v4l2_capability()
        let code = withUnsafeMutablePointer(to: &capability) { cv4l2_raw_ioctl(descriptor, CV4L2_QUERYCAP, $0) }
        if code == ENOTTY || code == EINVAL { throw Self.noEncoder(path, "not a video device") }
        guard code == 0 else { throw Self.error(code, path) }
        let isOfNode = capability.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        let can = isOfNode ? capability.device_caps : capability.capabilities
        let isMultiplanar = can & UInt32(V4L2_CAP_VIDEO_M2M_MPLANE) != 0
        guard can & UInt32(V4L2_CAP_VIDEO_M2M) != 0 || isMultiplanar, can & UInt32(V4L2_CAP_STREAMING) != 0 else {
            throw Self.noEncoder(path, "it does not encode")
        }
        isKept = true
        self.path = path
        self.descriptor = descriptor
        self.isMultiplanar = isMultiplanar
        card = V4L2Device.text(capability.card)
        driver = V4L2Device.text(capability.driver)
    }

    deinit { close(descriptor) }

    /// The queue of frames, which V4L2 calls "output".
    var frames: cv4l2_queue { queue(isCapture: 0) }
    /// The queue of packets, which V4L2 calls "capture".
    var packets: cv4l2_queue { queue(isCapture: 1) }

    private func queue(isCapture: Int32) -> cv4l2_queue {
        cv4l2_queue(fd: descriptor, is_capture: isCapture, is_multiplanar: isMultiplanar ? 1 : 0, is_imported: 0)
    }

    /// Returns the pixel formats of a queue, and whether each is compressed.
    func pixelFormats(_ queue: cv4l2_queue) -> [(code: UInt32, isCompressed: Bool)] {
        var formats: [(code: UInt32, isCompressed: Bool)] = []
        var isCompressed: Int32 = 0
        while formats.count < 256 {
            let code = cv4l2_pixel_format(queue, UInt32(formats.count), &isCompressed)
            guard code != 0 else { break }
            formats.append((code, isCompressed != 0))
        }
        return formats
    }

    /// Sets a control if the encoder has it, to the nearest possible value.
    ///
    /// - Returns: The errno, or 0; EINVAL for a control that it does not have.
    func set(_ control: UInt32, to value: Int64) -> Int32 {
        guard let range = range(of: control) else { return EINVAL }
        return cv4l2_set_control(descriptor, control, 0, min(max(value, range.lowerBound), range.upperBound))
    }

    /// Returns the range of a control's values; nil if the encoder does not have it.
    func range(of control: UInt32) -> ClosedRange<Int64>? {
        var (least, most): (Int64, Int64) = (0, 0)
        guard cv4l2_control_range(descriptor, control, &least, &most) == 0, least <= most else { return nil }
        return least...most
    }

    /// Returns the error for an errno, with advice.
    static func error(_ number: Int32, _ path: String) -> MediaError {
        let action = "cannot open the encoder \(path)"
        switch number {
        case ENOENT, ENOTDIR, ENODEV, ENXIO:
            return MediaError(
                .notFound, action, reason: "no such encoder", underlying: .errno(number),
                wayOut: "`recorder devices` lists the encoders")
        case EBUSY:
            return MediaError(
                .busy, action, reason: "other programs use its whole capacity", underlying: .errno(number),
                wayOut: "run `fuser \(path)` to see which, or write --encoder x264")
        case EACCES, EPERM:
            return MediaError(
                .notPermitted, action, reason: "permission denied", underlying: .errno(number),
                wayOut: "join the group `video`: `sudo usermod -aG video $USER`, then log in again")
        default: return MediaError(errno: number, action)
        }
    }

    private static func noEncoder(_ path: String, _ reason: String) -> MediaError {
        MediaError(
            .deviceUnsuitable, "cannot encode with \(path)", reason: reason,
            wayOut: "`recorder devices` lists the encoders")
    }
}
