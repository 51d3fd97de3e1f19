import Glibc

/// The terminal's alternate screen, for output that is redrawn repeatedly. The terminal's previous contents return
/// afterwards, however the program ends.
package enum AlternateScreen {
    /// Shows the alternate screen while the body runs.
    ///
    /// The signals INT, TERM, HUP and QUIT restore the terminal, and then end the process as usual. The signal TSTP
    /// restores the terminal while the process is stopped. Called at most once per process.
    package static func show(_ body: () async throws -> Void) async rethrows {
        enter()
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            signal(number) { number in
                AlternateScreen.leave()
                signal(number, SIG_DFL)
                kill(getpid(), number)
            }
        }
        signal(SIGTSTP) { _ in
            AlternateScreen.leave()
            kill(getpid(), SIGSTOP)
            AlternateScreen.enter()
        }
        defer { leave() }
        try await body()
    }

    // xterm's private modes: 1049 is the alternate screen, 25 the cursor, 7 the wrapping of long lines. Signal handlers
    // call these functions, so the functions must not allocate.
    private static func enter() { write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l") }
    private static func leave() { write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l") }

    private static func write(_ text: StaticString) { _ = Glibc.write(1, text.utf8Start, text.utf8CodeUnitCount) }
}
