import Glibc

/// The terminal's second screen, for what is drawn over and over: what stood there before is back afterwards, however the
/// program ends.
package enum AlternateScreen {
    /// Shows it while the body runs.
    ///
    /// INT, TERM, HUP and QUIT restore the terminal and then end the process as ever; TSTP restores it for as long as the
    /// process is stopped. Called once in a process's life.
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

    // xterm's private modes: 1049 is the second screen, 25 the cursor, 7 the wrapping of long lines. Written by handlers
    // of signals, so nothing here may allocate.
    private static func enter() { write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l") }
    private static func leave() { write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l") }

    private static func write(_ text: StaticString) { _ = Glibc.write(1, text.utf8Start, text.utf8CodeUnitCount) }
}
