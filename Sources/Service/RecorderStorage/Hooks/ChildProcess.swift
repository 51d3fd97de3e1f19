import CLinux
import CommandInterface
import FileSystem
import Foundation
import Glibc
package import MediaTypes

/// A running program in its own process group, connected by pipes.
///
/// One pipe is for its standard input. Its standard output and standard error share a second pipe, or each has its own
/// pipe. Only one thread may use this value.
package struct ChildProcess {
    private let process: pid_t
    private let input: Pipe
    private let output: Int32
    /// The descriptor of the pipe for errors; −1 if they are part of the output.
    private let errors: Int32

    /// The write end of the input pipe, which is closed as soon as everything is written.
    private final class Pipe {
        var descriptor: Int32
        init(_ descriptor: Int32) { self.descriptor = descriptor }

        func close() {
            if descriptor >= 0 { Glibc.close(descriptor) }
            descriptor = -1
        }
    }

    /// Starts `/bin/sh -c command`.
    init(_ command: String, environment: [String: String]) throws(MediaError) {
        try self.init(["/bin/sh", "-c", command], environment: environment, action: "cannot run a hook")
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The program's path, and its arguments.
    ///   - keepsErrorsApart: True if standard error is not part of the output.
    ///   - action: The failed action in the error, if the program does not start.
    package init(
        _ words: [String], environment: [String: String], keepsErrorsApart: Bool = false, action: String
    ) throws(MediaError) {
        let pipes = try Self.pipes(keepsErrorsApart ? 3 : 2, action)
        let (toChild, fromChild) = (pipes[0], pipes[1])
        var launch = ProgramLaunch(
            words, descriptors: [.copy(toChild[0]), .copy(fromChild[1]), .copy(pipes[pipes.count - 1][1])])
        launch.environment = environment
        do throws(MediaError) { process = try launch.start(action) } catch {
            for end in pipes.joined() { Glibc.close(end) }
            throw error
        }
        Glibc.close(toChild[0])
        for pipe in pipes.dropFirst() { Glibc.close(pipe[1]) }
        input = Pipe(toChild[1])
        output = fromChild[0]
        errors = keepsErrorsApart ? pipes[2][0] : -1
        ProcessPriority.reset(group: process)
        _ = fcntl(toChild[1], F_SETFL, O_NONBLOCK)
        for pipe in pipes.dropFirst() { _ = fcntl(pipe[0], F_SETFL, O_NONBLOCK) }
    }

    private static func pipes(_ count: Int, _ action: String) throws(MediaError) -> [[Int32]] {
        var pipes: [[Int32]] = []
        for _ in 0..<count {
            var ends: [Int32] = [-1, -1]
            guard clinux_pipe(&ends) == 0 else {
                let number = errno
                for end in pipes.joined() { Glibc.close(end) }
                throw MediaError(errno: number, action)
            }
            pipes.append(ends)
        }
        return pipes
    }

    /// Waits until the program has written output, or until the time has passed. If `forInput` is true, the wait also
    /// ends when the program accepts input.
    ///
    /// The end of the process does not end the wait, because the oldest supported kernels have no pidfd_open(2).
    ///
    /// - Parameter wake: A descriptor that ends the wait when it becomes readable; −1 for none.
    package func wait(milliseconds: Int32, forInput: Bool, orUntil wake: Int32 = -1) {
        var wanted = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        if forInput, input.descriptor >= 0 {
            wanted.append(pollfd(fd: input.descriptor, events: Int16(POLLOUT), revents: 0))
        }
        _ = poll(&wanted, nfds_t(wanted.count), milliseconds)
        // poll(2) reports a closed pipe at once, although its process may still be running. The pause avoids a busy
        // loop.
        let isReadable = wanted.contains { $0.revents & Int16(POLLIN) != 0 }
        if !isReadable, wanted.prefix(2).contains(where: { $0.revents & Int16(POLLHUP) != 0 }) {
            _ = poll(nil, 0, min(milliseconds, 5))
        }
    }

    /// Writes as much as the pipe accepts, and returns the bytes that remain. Closes the pipe after the last byte, or
    /// if it has no reader.
    package func write(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes
        while !rest.isEmpty, input.descriptor >= 0 {
            let count = Self.withoutPipeSignal {
                rest.withUnsafeBytes { Glibc.write(input.descriptor, $0.baseAddress, $0.count) }
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                return rest
            } else if count == 0 || errno != EINTR {
                rest = []
            }
        }
        input.close()
        return []
    }

    /// Blocks SIGPIPE on this thread during `write`, and discards a signal that occurred (pipe(7), signal(7)).
    /// Otherwise a command that does not read its input would end this process.
    private static func withoutPipeSignal(_ write: () -> Int) -> Int {
        var (pipe, before) = (sigset_t(), sigset_t())
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        let count = write()
        let number = errno
        if count < 0, number == EPIPE {
            var atOnce = timespec()
            sigtimedwait(&pipe, nil, &atOnce)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = number
        return count
    }

    /// Appends the available output to `bytes`, at most one mebibyte per call. Discards the output beyond a total of
    /// `limit` bytes.
    ///
    /// - Returns: true if a part was discarded.
    package func read(into bytes: inout [UInt8], atMost limit: Int) -> Bool {
        var isCut = false
        read { part in
            let kept = min(part.count, max(0, limit - bytes.count))
            bytes += part.prefix(kept)
            isCut = isCut || kept < part.count
        }
        return isCut
    }

    /// Reads the available output, at most one mebibyte per call.
    package func read(_ take: (ArraySlice<UInt8>) -> Void) { Self.read(output, take) }

    /// Reads the available errors, if they are separate.
    package func readErrors(_ take: (ArraySlice<UInt8>) -> Void) { Self.read(errors, take) }

    private static func read(_ descriptor: Int32, _ take: (ArraySlice<UInt8>) -> Void) {
        guard descriptor >= 0 else { return }
        var part = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<16 {
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            take(part[..<count])
        }
    }

    /// The bytes that the program has read from files and connections (proc(5), `rchar`); nil if unknown.
    package var bytesRead: Int64? {
        guard let bytes = FileContents.bytes(of: "/proc/\(process)/io") else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("rchar: ") }.flatMap { Int64($0.dropFirst("rchar: ".count)) }
    }

    /// Returns the status from waitpid(2); nil if the process has not ended.
    package func reap() -> Int32? {
        var status: Int32 = 0
        let answer = waitpid(process, &status, WNOHANG)
        if answer == process { return status }
        // Another thread reaped it, so its status is unknown.
        return answer < 0 && errno == ECHILD ? 0 : nil
    }

    /// Sends a signal to the program and to all processes that it started.
    package func signal(_ number: Int32) { kill(-process, number) }

    package func close() {
        input.close()
        Glibc.close(output)
        if errors >= 0 { Glibc.close(errors) }
    }
}
