import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import LibcameraCapture

/// File descriptors that a helper sends and the recorder does not want: none of them may stay open.
@Suite struct HelperDescriptorTests {
    /// A pipe. It is at its end once every copy of its writing end is closed.
    private final class Pipe: Sendable {
        let reading: Int32
        let writing: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            let code = pipe(&ends)
            precondition(code == 0, "no pipe")
            reading = ends[0]
            writing = ends[1]
            for end in ends { precondition(fcntl(end, F_SETFD, FD_CLOEXEC) == 0, "no flag") }
        }

        deinit { close(reading) }

        /// Waits for the end.
        var isAtItsEnd: Bool {
            eventually {
                var wait = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
                return poll(&wait, 1, 100) == 1 && Int32(wait.revents) & Int32(POLLHUP) != 0
            }
        }
    }

    @Test func open_unwantedDescriptors_areClosed() {
        // Bytes that are sent in place of a buffer, the number of descriptors, and the reason of the refusal.
        let cases: [(bytes: [UInt8], count: Int, reason: String)] = [
            ([], 1, "0 bytes"), ([], 4, "0 bytes"), ([1, 2, 3], 2, "3 bytes"),
            (HelperBytes.buffer(0).bytes, 1, "not a dma-buf"), (HelperBytes.buffer(0).bytes, 3, "3 arrived"),
            (HelperBytes.buffer(0, descriptors: 4).bytes, 4, "4 arrived"),
            // The fifth does not fit (MSG_CTRUNC).
            (HelperBytes.buffer(0, descriptors: 4).bytes, 5, "4 arrived"),
            (HelperBytes.buffer(0, descriptors: 250).bytes, 250, "4 arrived"),
            (HelperBytes(.started).bytes, 1, "1 arrived"),
        ]
        for (bytes, count, reason) in cases {
            let pipe = Pipe()
            let helper = FakeHelper { helper, socket in
                defer { close(pipe.writing) }
                helper.send(socket, .hello())
                guard helper.wait(socket, for: .open) else { return }
                helper.send(socket, .configured())
                helper.send(
                    socket, bytes: bytes, descriptors: [Int32](repeating: pipe.writing, count: count))
            }
            let error = #expect(throws: MediaError.self) {
                try LibcameraCamera(StreamRequest(camera: "fake"), launcher: helper.launcher) { _, _, _ in }
            }
            #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
            #expect(pipe.isAtItsEnd, "\(bytes.count) bytes with \(count) descriptors")
        }
    }

    @Test func receive_descriptors_areClosedOnExec() throws {
        let socket = try HelperSocket("cannot test")
        let pipe = Pipe()
        let helper = FakeHelper { _, _ in }
        helper.send(socket.otherEnd, .buffer(0, descriptors: 2), descriptors: [pipe.writing, pipe.reading])
        close(pipe.writing)
        guard case .message(let bytes, let descriptors) = socket.receive() else {
            Issue.record("no message")
            return
        }
        #expect(bytes.count == MessageLayout.messageSize && descriptors.count == 2)
        for descriptor in descriptors {
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
            close(descriptor)
        }
        #expect(pipe.isAtItsEnd)
    }

    @Test func receive_nothingOrTheEnd_isDistinguished() throws {
        let socket = try HelperSocket("cannot test")
        guard case .nothing = socket.receive() else {
            Issue.record("something arrived")
            return
        }
        socket.closeOtherEnd()
        guard case .closed = socket.receive() else {
            Issue.record("not closed")
            return
        }
    }
}
