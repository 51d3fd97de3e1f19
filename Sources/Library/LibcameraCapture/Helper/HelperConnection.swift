import CLinux
import FileSystem
import Glibc
import MediaTypes
import RealTime

/// A running helper, with its socket and its session. Waits for messages, and ends the helper. For one thread at a
/// time. Messages are awaited only in poll(2).
final class HelperConnection {
    var session: HelperSession
    private let socket: HelperSocket
    private let program: HelperProgram
    private let clock = MonotonicClock()
    /// The way in which the helper ended; nil while it runs.
    private var exit: SessionEnd.Exit?
    /// The dma-bufs of the last message, until `takeDescriptors` is called.
    private var descriptors: [Int32] = []
    /// The descriptors for poll(2): the socket, and the signal to stop. Reused, so that a wait allocates nothing.
    private var waits: [pollfd]

    /// Starts a helper.
    init(_ request: StreamRequest, launcher: HelperLauncher, _ action: String) throws(MediaError) {
        let socket = try HelperSocket(action)
        program = try launcher.start(socket.otherEnd)
        socket.closeOtherEnd()
        self.socket = socket
        waits = [
            pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: -1, events: Int16(POLLIN), revents: 0),
        ]
        session = HelperSession(request, pageSize: MemoryPage.byteCount, at: MonotonicClock().nanoseconds)
    }

    deinit {
        closeDescriptors()
        _ = endProgram()
    }

    /// Waits for a message, for the session's deadline or for a signal.
    ///
    /// - Parameter stop: Ends the wait when it is fired; nil to wait without such a signal.
    /// - Returns: The next step; nil if `stop` was fired.
    func next(stop: WakeUp? = nil) -> SessionAction? {
        guard exit == nil else { return .nothing }
        var limit: Int32 = -1
        if let deadline = session.deadline {
            limit = Int32(clamping: max(0, deadline - clock.nanoseconds) / 1_000_000 + 1)
        }
        // poll(2) ignores descriptors below 0.
        waits[1].fd = stop?.fileDescriptor ?? -1
        guard poll(&waits, 2, limit) > 0 else { return session.passed(clock.nanoseconds) }
        if waits[1].revents != 0 { return nil }
        return waits[0].revents != 0 ? receive() : session.passed(clock.nanoseconds)
    }

    /// Sends a message; does nothing for nil.
    ///
    /// - Returns: The next step: the end, if the helper has ended or does not read.
    func send(_ message: RecorderMessage?) -> SessionAction {
        guard let message, exit == nil else { return .nothing }
        switch socket.send(message) {
        case .sent: return .nothing
        case .full: return session.blocked()
        case .ended: return lastAction()
        }
    }

    /// Returns the end of a helper that has closed its socket: the reason that it sent before, or else how it ended.
    private func lastAction() -> SessionAction {
        while case .message(let bytes, let received) = socket.receive() {
            for descriptor in received { Glibc.close(descriptor) }
            let action = session.received(bytes, at: clock.nanoseconds)
            if case .end = action { return action }
        }
        return session.exited(endProgram())
    }

    /// Returns the dma-bufs that came with the last message. The caller owns them.
    func takeDescriptors() -> [Int32] {
        defer { descriptors = [] }
        return descriptors
    }

    /// Ends the helper at once.
    @discardableResult func endProgram() -> SessionEnd.Exit {
        if let exit { return exit }
        let ended = program.end()
        exit = ended
        return ended
    }

    /// Gives the helper up to three seconds to stop its camera, and then ends the helper.
    func close() {
        guard exit == nil else { return }
        _ = shutdown(socket.descriptor, Int32(SHUT_WR))
        let end = clock.nanoseconds + 3_000_000_000
        var isClosed = false
        while !isClosed, clock.nanoseconds < end {
            var wait = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&wait, 1, Int32(clamping: max(0, end - clock.nanoseconds) / 1_000_000 + 1))
            switch socket.receive() {
            case .closed: isClosed = true
            case .nothing: break
            case .message(_, let received): for descriptor in received { Glibc.close(descriptor) }
            }
        }
        endProgram()
    }

    private func receive() -> SessionAction {
        closeDescriptors()
        switch socket.receive() {
        case .nothing: return session.passed(clock.nanoseconds)
        case .closed: return session.exited(endProgram())
        case .message(let bytes, let received):
            descriptors = received
            let sizes = received.map { clinux_shared_memory_size($0) }
            return session.received(bytes, sizes: sizes, at: clock.nanoseconds, suspended: suspended)
        }
    }

    private func closeDescriptors() { for descriptor in takeDescriptors() { Glibc.close(descriptor) } }

    /// Nanoseconds by which CLOCK_BOOTTIME is ahead of the monotonic clock: the time for which the machine was
    /// suspended.
    private var suspended: Int64 {
        let monotonic = clock.nanoseconds
        var boot = timespec()
        clock_gettime(CLOCK_BOOTTIME, &boot)
        return max(0, Int64(boot.tv_sec) * 1_000_000_000 + Int64(boot.tv_nsec) - monotonic)
    }
}
