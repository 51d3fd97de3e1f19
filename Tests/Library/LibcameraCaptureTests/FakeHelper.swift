import Glibc
import MediaTypes
import RealTime

@testable import LibcameraCapture

/// A helper in a thread of the test: it has the helper's end of the socket, and memory in place of dma-bufs.
final class FakeHelper: Sendable {
    private struct State {
        var received: [[UInt8]] = []
        var isClosed = false
        var endCount = 0
        var startCount = 0
    }

    private let state = Locked(State())
    private let script: @Sendable (FakeHelper, Int32) -> Void

    /// - Parameter script: What the helper does with its socket. Its thread ends with it, and closes the socket.
    init(_ script: @escaping @Sendable (FakeHelper, Int32) -> Void) { self.script = script }

    /// The buffers that were returned, in order.
    var returned: [Int] {
        state.withLock { state in
            state.received.filter { $0[6] == UInt8(RecorderKind.returned.rawValue) }.map { Int($0[16]) }
        }
    }
    /// True once the recorder has closed its end.
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// The numbers of helpers that were started and ended.
    var startCount: Int { state.withLock { $0.startCount } }
    var endCount: Int { state.withLock { $0.endCount } }

    var launcher: HelperLauncher {
        HelperLauncher { (socket: Int32) throws(MediaError) -> HelperProgram in
            let mine = dup(socket)
            self.state.withLock { $0.startCount += 1 }
            do throws(ThreadError) {
                _ = try NamedThread("fake-helper") {
                    self.script(self, mine)
                    close(mine)
                }
            } catch {
                close(mine)
                throw MediaError(errno: error.errno, "cannot start the fake helper")
            }
            return HelperProgram {
                self.state.withLock { $0.endCount += 1 }
                return .status(7)
            }
        }
    }

    /// Waits for a message of the recorder.
    ///
    /// - Returns: nil once the recorder has closed its end.
    func receive(_ socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: MessageLayout.messageSize)
        let count = recv(socket, &bytes, bytes.count, 0)
        guard count == bytes.count else {
            state.withLock { $0.isClosed = true }
            return nil
        }
        state.withLock { $0.received.append(bytes) }
        return bytes
    }

    /// Waits for a message of a kind.
    ///
    /// - Returns: false once the recorder has closed its end.
    func wait(_ socket: Int32, for kind: RecorderKind) -> Bool {
        while let bytes = receive(socket) {
            if bytes[MessageLayout.kindAt] == UInt8(kind.rawValue) { return true }
        }
        return false
    }

    /// Sends a message with file descriptors (cmsg(3)).
    func send(_ socket: Int32, _ message: HelperBytes, descriptors: [Int32] = []) {
        send(socket, bytes: message.bytes, descriptors: descriptors)
    }

    /// Sends bytes of any number, none included, with file descriptors.
    func send(_ socket: Int32, bytes content: [UInt8], descriptors: [Int32]) {
        var bytes = content
        // A header of 16 bytes on 64-bit machines, then the descriptors, in whole words.
        var control = [UInt64](repeating: 0, count: 2 + (descriptors.count + 1) / 2)
        control[0] = UInt64(16 + 4 * descriptors.count)
        control[1] = UInt64(SOL_SOCKET) | 1 << 32  // SCM_RIGHTS
        control.withUnsafeMutableBytes { control in
            for (index, descriptor) in descriptors.enumerated() {
                control.storeBytes(of: descriptor, toByteOffset: 16 + 4 * index, as: Int32.self)
            }
            bytes.withUnsafeMutableBytes { bytes in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                withUnsafeMutablePointer(to: &part) { part in
                    var header = msghdr()
                    header.msg_iov = part
                    header.msg_iovlen = 1
                    if !descriptors.isEmpty {
                        header.msg_control = control.baseAddress
                        header.msg_controllen = control.count
                    }
                    _ = sendmsg(socket, &header, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }

    /// Opens as a camera with four buffers of NV12, whose bytes are their numbers, and waits for the start.
    ///
    /// - Returns: false if the recorder ends before.
    func openAndStart(_ socket: Int32, isSealed: Bool = true) -> Bool {
        send(socket, .hello())
        guard wait(socket, for: .open) else { return false }
        send(socket, .configured())
        for index in 0..<4 {
            let memory = SharedFile(byteCount: Int(HelperBytes.frameBytes), filledWith: UInt8(index), isSealed)
            withExtendedLifetime(memory) {
                send(socket, .buffer(index), descriptors: [memory.descriptor])
            }
        }
        guard wait(socket, for: .start) else { return false }
        send(socket, HelperBytes(.started))
        return true
    }
}

/// Memory of a file without a name (memfd_create(2)), in place of a dma-buf. Sealed, it cannot shrink.
final class SharedFile {
    let descriptor: Int32

    init(byteCount: Int, filledWith byte: UInt8, _ isSealed: Bool) {
        // glibc declares it only with _GNU_SOURCE, which Swift's Glibc module does not define.
        typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        let create = unsafeBitCast(dlsym(nil, "memfd_create"), to: Create.self)
        descriptor = create("frame", 2)  // MFD_ALLOW_SEALING
        let content = [UInt8](repeating: byte, count: byteCount)
        precondition(write(descriptor, content, byteCount) == byteCount, "no memory for a frame")
        if isSealed { precondition(fcntl(descriptor, 1033, 2) == 0, "no seal") }  // F_ADD_SEALS, F_SEAL_SHRINK
    }

    deinit { close(descriptor) }
}
