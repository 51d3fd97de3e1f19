import CLinux
import Foundation
import MediaTypes

/// A shell in a process group of its own, with a pipe to its standard input and one from its output and errors.
///
/// Used by one thread.
struct ChildProcess {
    private let process: pid_t
    private let input: Pipe
    private let output: Int32

    /// The end of a pipe that is closed early, once everything is written.
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
        var toChild: [Int32] = [-1, -1]
        var fromChild: [Int32] = [-1, -1]
        guard clinux_pipe(&toChild) == 0 else { throw MediaError(errno: errno, "cannot run a hook") }
        guard clinux_pipe(&fromChild) == 0 else {
            let number = errno
            for end in toChild { Glibc.close(end) }
            throw MediaError(errno: number, "cannot run a hook")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 2)
        // The devices and files of the recording are not the command's.
        clinux_spawn_close_from(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in StopSignals.all + [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)

        var words = (["/bin/sh", "-c", command] as [String]).map { strdup($0) } + [nil]
        var facts = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + facts { free(text) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, "/bin/sh", &actions, &attributes, &words, &facts)
        Glibc.close(toChild[0])
        Glibc.close(fromChild[1])
        process = child
        input = Pipe(toChild[1])
        output = fromChild[0]
        guard code == 0 else {
            Glibc.close(toChild[1])
            Glibc.close(fromChild[0])
            throw MediaError(errno: code, "cannot run a hook")
        }
        ProcessPriority.reset(group: child)
        _ = fcntl(toChild[1], F_SETFL, O_NONBLOCK)
        _ = fcntl(fromChild[0], F_SETFL, O_NONBLOCK)
    }

    /// Until something can be read, or written if that is wanted, or the time is over.
    ///
    /// The end of the process is not among it: pidfd_open(2) is too young for every kernel that records.
    func wait(milliseconds: Int32, forInput: Bool) {
        var wanted = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
        if forInput, input.descriptor >= 0 {
            wanted.append(pollfd(fd: input.descriptor, events: Int16(POLLOUT), revents: 0))
        }
        _ = poll(&wanted, nfds_t(wanted.count), milliseconds)
        // A closed pipe is always ready, while its process may live on.
        if wanted[0].revents & Int16(POLLIN) == 0, wanted[0].revents & Int16(POLLHUP) != 0 {
            _ = poll(nil, 0, min(milliseconds, 5))
        }
    }

    /// As much as the pipe takes; what is left. Closes it after the last byte, or when nobody reads.
    func write(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
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

    /// A command that does not read is no reason for SIGPIPE, which would end this process: it is blocked on this thread,
    /// and taken away if it came (pipe(7), signal(7)).
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

    /// Takes what is there, at most a mebibyte at once, and keeps what fits.
    ///
    /// - Returns: whether something did not fit.
    func read(into bytes: inout [UInt8], atMost limit: Int) -> Bool {
        var isCut = false
        var part = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<16 {
            let count = Glibc.read(output, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            let kept = min(count, max(0, limit - bytes.count))
            bytes += part.prefix(kept)
            isCut = isCut || kept < count
        }
        return isCut
    }

    /// The status of waitpid(2) when it has ended.
    func reap() -> Int32? {
        var status: Int32 = 0
        let answer = waitpid(process, &status, WNOHANG)
        if answer == process { return status }
        // Somebody else reaped it: nothing can be said of its end.
        return answer < 0 && errno == ECHILD ? 0 : nil
    }

    /// To the shell and everything that it started.
    func signal(_ number: Int32) { kill(-process, number) }

    func close() {
        input.close()
        Glibc.close(output)
    }
}
