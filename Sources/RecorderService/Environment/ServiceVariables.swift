/// What a service manager says to one process, and to none that it starts (sd_notify(3), sd_watchdog_enabled(3),
/// sd_listen_fds(3)).
enum ServiceVariables {
    private static let own: Set = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
        "LISTEN_PIDFDID",
        "MAINPID", "FDSTORE",
    ]

    /// An environment without them, for a child: a hook that ran a service's client would else speak for the recorder.
    static func removed(from environment: [String: String]) -> [String: String] {
        environment.filter { !own.contains($0.key) }
    }
}
