/// What a service may say to systemd, in the words of sd_notify(3).
enum ServiceMessage: Sendable, Equatable {
    /// It does what it is there for. Also the end of a reload.
    case ready
    /// One line for `systemctl status`.
    case status(String)
    case stopping
    /// The configuration is being read anew, since this moment of the monotonic clock (nanoseconds).
    case reloading(since: Int64)
    /// All is well; the next one is due within the watchdog's time.
    case watchdog
    /// Starting or stopping takes longer: so many nanoseconds from now on.
    case extendTimeout(Int64)

    var text: String {
        switch self {
        case .ready: "READY=1"
        case .status(let line): "STATUS=" + line.replacing("\n", with: " ")
        case .stopping: "STOPPING=1"
        case .reloading(let since): "RELOADING=1\nMONOTONIC_USEC=\(since / 1000)"
        case .watchdog: "WATCHDOG=1"
        case .extendTimeout(let time): "EXTEND_TIMEOUT_USEC=\(time / 1000)"
        }
    }
}
