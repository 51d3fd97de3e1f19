/// What the service manager hears of one process, from the first word to the last. A pure value: time and facts come in,
/// messages come out.
struct ServiceConversation {
    private enum Stage { case starting, running, stopping }

    private let watchdogTimeout: Int64?
    private var stage = Stage.starting
    private var watchdog: Watchdog?
    private var status = ""
    private var statusAt: Int64?
    private var stoppingSince: Int64 = 0
    private var hasSaidStopping = false
    private var extendedAt: Int64 = 0

    /// A status that only counts on is not worth a message a second.
    private static let statusPause: Int64 = 5_000_000_000
    /// An ordinary end is over before it need be told. And a unit that says that it is stopping is not stopped by systemd
    /// any more when its device goes, but started again after its failure: a camera that was pulled out must have gone
    /// there too before this is said.
    private static let quietStop: Int64 = 2_000_000_000
    /// How often, and by how much, the time to stop is extended while the file is made whole.
    private static let extensionPause: Int64 = 10_000_000_000
    private static let timeExtension: Int64 = 30_000_000_000
    /// A disk that takes longer than that to finish a file hangs; then the manager's own limit holds.
    private static let longestFinish: Int64 = 900_000_000_000

    init(watchdogTimeout: Int64?) { self.watchdogTimeout = watchdogTimeout }

    /// What is to be said now; empty most of the time.
    mutating func messages(for facts: ServiceFacts, at now: Int64) -> [ServiceMessage] {
        var messages: [ServiceMessage] = []
        let before = stage
        if stage == .starting, facts.isReady {
            stage = .running
            watchdog = watchdogTimeout.map { Watchdog(timeout: $0, now: now) }
            messages.append(.ready)
        }
        if stage != .stopping, facts.isStopping {
            stage = .stopping
            (stoppingSince, extendedAt) = (now, now)
            // No sample comes any more; from here to the word the watchdog has its whole time.
            if watchdog != nil { messages.append(.watchdog) }
        }
        let isStatusDue = stage != before || statusAt.map { now - $0 >= Self.statusPause } ?? true
        if isStatusDue, facts.status != status, !facts.status.isEmpty {
            status = facts.status
            statusAt = now
            messages.append(.status(status))
        }
        switch stage {
        case .starting: break
        case .running: if watchdog?.isFed(at: now, lastSample: facts.lastSample) == true { messages.append(.watchdog) }
        case .stopping:
            if !hasSaidStopping, now - stoppingSince >= Self.quietStop {
                hasSaidStopping = true
                // The manager waits for the end from now on, not for the watchdog.
                messages.append(.stopping)
            }
            if now - extendedAt >= Self.extensionPause, now - stoppingSince < Self.longestFinish {
                extendedAt = now
                messages.append(.extendTimeout(Self.timeExtension))
            }
        }
        return messages
    }
}

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

/// Decides when the service manager's watchdog is fed: only while samples arrive.
///
/// A camera that hangs, a driver that sleeps, a process that is stuck all look the same from outside: no sample since the
/// last feed, so no further feed, and the manager ends the process and starts it anew. One living device is enough: a
/// fault of one track never ends the other. Times are nanoseconds of the monotonic clock.
struct Watchdog {
    private let period: Int64
    private var fedAt: Int64

    /// - Parameter timeout: of the manager, which began to wait at `now`. It is fed twice in that time.
    init(timeout: Int64, now: Int64) {
        period = timeout / 2
        fedAt = now
    }

    /// Whether to feed it now.
    ///
    /// - Parameter lastSample: when any of the devices last delivered something.
    mutating func isFed(at now: Int64, lastSample: Int64?) -> Bool {
        guard let lastSample, lastSample > fedAt, now - fedAt >= period else { return false }
        fedAt = now
        return true
    }
}
