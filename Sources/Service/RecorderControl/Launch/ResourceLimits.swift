import FileSystem
import Glibc
package import MediaTypes

/// Checks this process's resource limits (setrlimit(2)) before the process reaches them. Without memory, Swift's
/// threads would wait forever for address space. Without free descriptors, libraries would end the process.
package enum ResourceLimits {
    package enum Need: Sendable {
        /// The needs of any command.
        case command
        /// The needs of a recording: frames in queues, the open file and the next one, one or two devices, and every
        /// connection of the control interface.
        case recording

        fileprivate var descriptors: rlim_t { self == .command ? 32 : 192 }
        /// The memory that the program needs in addition to what it already uses, in bytes.
        fileprivate var memory: rlim_t { self == .command ? 160 << 20 : 512 << 20 }
    }

    /// A resource limit: `soft` applies now, and `hard` is the highest value to which this user may raise it.
    struct Limit {
        var soft: rlim_t
        var hard: rlim_t
    }

    /// Raises the limits that this user may raise, up to common values, and checks them.
    ///
    /// The main thread calls this first, before other threads start. The call creates threads as a test.
    ///
    /// - Throws: `unsupported`, with the limit and advice for the user.
    package static func prepare(for need: Need) throws(MediaError) {
        raiseDescriptors()
        try check(need, descriptors: limit(RLIMIT_NOFILE), memory: memoryLimits)
        try tryThreads()
    }

    /// Checks the limits without creating threads; for later calls.
    package static func check(_ need: Need) throws(MediaError) {
        try check(need, descriptors: limit(RLIMIT_NOFILE), memory: memoryLimits)
    }

    /// Checks the limits.
    ///
    /// - Parameter memory: Each memory limit, with the option of bash's `ulimit` that sets it, and with the number of
    ///   bytes in use.
    static func check(
        _ need: Need, descriptors: Limit, memory: [(name: String, option: String, limit: Limit, taken: rlim_t)]
    ) throws(MediaError) {
        guard descriptors.soft >= need.descriptors else {
            throw refusal(
                "this process may open only \(descriptors.soft) files (RLIMIT_NOFILE), but needs \(need.descriptors)",
                "run `ulimit -n 1024`, or set LimitNOFILE= in the unit")
        }
        for (name, option, limit, taken) in memory where limit.soft != infinity {
            let left = limit.soft - min(limit.soft, taken)
            guard left >= need.memory else {
                throw refusal(
                    "\(name) leaves \(left >> 20) MiB of memory, but \(need.memory >> 20) MiB are needed",
                    "run `ulimit \(option) unlimited`")
            }
        }
    }

    private static func refusal(_ reason: String, _ wayOut: String) -> MediaError {
        MediaError(.unsupported, "cannot run", reason: reason, wayOut: wayOut)
    }

    private static let infinity = rlim_t.max

    private static var memoryLimits: [(name: String, option: String, limit: Limit, taken: rlim_t)] {
        let memory = ProcessMemory.current
        return [
            ("RLIMIT_AS", "-v", limit(RLIMIT_AS), rlim_t(clamping: memory?.size ?? 0)),
            ("RLIMIT_DATA", "-d", limit(RLIMIT_DATA), rlim_t(clamping: memory?.data ?? 0)),
        ]
    }

    private static func limit(_ resource: __rlimit_resource) -> Limit {
        var values = rlimit()
        guard getrlimit(__rlimit_resource_t(resource.rawValue), &values) == 0 else {
            return Limit(soft: infinity, hard: infinity)
        }
        return Limit(soft: values.rlim_cur, hard: values.rlim_max)
    }

    package static func raiseDescriptors() {
        let now = limit(RLIMIT_NOFILE)
        guard now.soft < 1024, now.hard > now.soft else { return }
        var values = rlimit(rlim_cur: min(1024, now.hard), rlim_max: now.hard)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &values)
    }

    /// Creates as many threads as the runtime needs at first. This detects limits on the number of threads
    /// (RLIMIT_NPROC, a cgroup's pids.max).
    private static func tryThreads() throws(MediaError) {
        // The threads end when the pipe is closed.
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw MediaError(errno: errno, "cannot run") }
        waitingEnd = ends[0]
        var threads: [pthread_t] = []
        var code: Int32 = 0
        while threads.count < 6, code == 0 {
            var thread = pthread_t()
            code = pthread_create(
                &thread, nil,
                { _ in
                    var byte: UInt8 = 0
                    while read(waitingEnd, &byte, 1) < 0, errno == EINTR {}
                    return nil
                }, nil)
            if code == 0 { threads.append(thread) }
        }
        close(ends[1])
        for thread in threads { pthread_join(thread, nil) }
        close(ends[0])
        guard code == 0 else {
            throw MediaError(
                .unsupported, "cannot run", reason: "the system allows no more threads", underlying: .errno(code),
                wayOut: "raise `ulimit -u`, TasksMax= of the unit, or the container's process limit")
        }
    }
}

// This is safe, although the compiler cannot check it: the variable is written once, before the threads that read it
// are created.
nonisolated(unsafe) private var waitingEnd: Int32 = -1
