import Glibc
package import MediaTypes
import RealTime

/// Finds the cameras that libcamera lists.
package enum LibcameraDiscovery {
    /// Returns every camera with its controls, in libcamera's order. Opens no camera. Blocks for as long as libcamera
    /// searches: at most 10 s for each step, and 60 s in all.
    ///
    /// A camera that another program uses may be missing: some versions of libcamera then list no camera at all.
    ///
    /// - Throws: The launcher's error, or that of a helper that fails.
    package static func cameras(_ launcher: HelperLauncher) throws(MediaError) -> [LibcameraDevice] {
        let action = "cannot list the cameras of libcamera"
        let clock = MonotonicClock()
        let socket = try HelperSocket(action)
        let program = try launcher.start(socket.otherEnd)
        socket.closeOtherEnd()
        var inquiry = CameraInquiry(at: clock.nanoseconds)
        var exit: SessionEnd.Exit?
        defer { if exit == nil { _ = program.end() } }
        while true {
            switch next(&inquiry, socket, clock) {
            case .arrived(.send(let message)):
                // If a message cannot be sent, the helper ends or the time runs out. Both are handled here.
                _ = socket.send(message)
            case .arrived(.done): return inquiry.cameras
            case .arrived(.end(let cause)): throw cause.error(action, camera: "the camera")
            case .arrived(.nothing): break
            case .closed:
                let ended = program.end()
                exit = ended
                throw SessionEnd.exited(ended).error(action, camera: "the camera")
            }
        }
    }

    private enum Step {
        case arrived(CameraInquiry.Action)
        case closed
    }

    /// Waits for a message, or until the deadline.
    private static func next(_ inquiry: inout CameraInquiry, _ socket: HelperSocket, _ clock: MonotonicClock) -> Step {
        let left = max(0, (inquiry.deadline ?? 0) - clock.nanoseconds)
        var wait = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&wait, 1, Int32(clamping: left / 1_000_000 + 1))
        switch socket.receive() {
        case .nothing: return .arrived(inquiry.passed(clock.nanoseconds))
        case .closed: return .closed
        case .message(let bytes, let descriptors):
            for descriptor in descriptors { close(descriptor) }
            return .arrived(inquiry.received(bytes, descriptors: descriptors.count, at: clock.nanoseconds))
        }
    }
}
