import Glibc

/// A message on standard error for a user who ends this process with INT or TERM, while a process that it started
/// continues.
package enum InterruptMessage {
    /// Prints the message if one of the signals ends this process before `clear`. The signals keep their effect. Not for
    /// a process with a `SignalWatcher`, and not again before `clear`.
    package static func set(_ text: String) {
        let bytes = Array("\(isatty(2) == 1 ? "\n" : "")recorder: \(text)\n".utf8)
        // The memory is never freed, because a handler may be running.
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        memory.initialize(from: bytes, count: bytes.count)
        (message, length) = (memory, bytes.count)
        for number in signals where !isIgnored(number) {
            signal(number) { number in
                _ = write(2, message, length)
                signal(number, SIG_DFL)
                kill(getpid(), number)
            }
        }
    }

    package static func clear() { for number in signals where !isIgnored(number) { signal(number, SIG_DFL) } }

    private static let signals = [SIGINT, SIGTERM]

    /// Returns true if a signal has no effect, as INT in a background job of a script.
    private static func isIgnored(_ number: Int32) -> Bool {
        var now = sigaction()
        guard sigaction(number, nil, &now) == 0 else { return false }
        return unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

// Safe: the thread that runs the command writes it, and only while no handler is installed.
nonisolated(unsafe) private var message: UnsafeMutablePointer<UInt8>?
// Safe for the same reason as `message`.
nonisolated(unsafe) private var length = 0
