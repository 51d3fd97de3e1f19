/// How a process stands, as far as the service manager is concerned.
struct ServiceFacts: Sendable, Equatable {
    /// The first sample is in the file; of an armed process: the devices are open.
    var isReady = false
    /// It is being ended, and the file made whole.
    var isStopping = false
    /// One line for `systemctl status`.
    var status = ""
    /// When any device last delivered something, in nanoseconds of the monotonic clock.
    var lastSample: Int64?
}
