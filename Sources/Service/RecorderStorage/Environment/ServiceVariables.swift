/// Variables of a service manager that are meant for one process, not for its children (sd_notify(3),
/// sd_watchdog_enabled(3), sd_listen_fds(3)).
package enum ServiceVariables {
    private static let own: Set = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
        "LISTEN_PIDFDID",
        "MAINPID", "FDSTORE",
    ]

    /// Returns an environment without these variables, for a child process. Otherwise a hook could send notifications
    /// in the recorder's name.
    package static func removed(from environment: [String: String]) -> [String: String] {
        environment.filter { !own.contains($0.key) }
    }
}
