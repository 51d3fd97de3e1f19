/// Decides which messages one process sends to the service manager, and when. A pure value.
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

    /// Minimum interval between two messages with a changed status, in nanoseconds.
    private static let statusPause: Int64 = 5_000_000_000
    /// The time that the process waits until it reports that it is stopping, in nanoseconds. When a camera is
    /// unplugged, the process ends before systemd has noticed that the device is missing. If the process reported its
    /// end at once, systemd would restart the unit as failed instead of stopping it with the device. A normal stop
    /// takes less time, so it needs no message.
    private static let quietStop: Int64 = 2_000_000_000
    /// The interval at which the stop timeout is extended while the file is finalized, in nanoseconds. `timeExtension`
    /// is the length of each extension.
    private static let extensionPause: Int64 = 10_000_000_000
    private static let timeExtension: Int64 = 30_000_000_000
    /// The maximum time to finalize a file, in nanoseconds. If it takes longer, the disk is assumed to hang, and the
    /// manager's own limit applies.
    private static let longestFinish: Int64 = 900_000_000_000

    init(watchdogTimeout: Int64?) { self.watchdogTimeout = watchdogTimeout }

    /// Returns the messages to send now; usually none.
    mutating func messages(for facts: ServiceState, at now: Int64) -> [ServiceMessage] {
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
            // No more samples arrive. This message restarts the watchdog's timeout, which must last until the stopping
            // message.
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
                // After this message, the manager waits for the end, and no longer for the watchdog.
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

/// The part of a process's state that the service manager needs.
package struct ServiceState: Sendable, Equatable {
    /// True once the first sample is in the file or, for an armed process, once the devices are open.
    package var isReady = false
    /// True if the process is ending, and the file is being finalized.
    package var isStopping = false
    /// One line for `systemctl status`.
    package var status = ""
    /// The time of the last sample of any device, in nanoseconds of the monotonic clock; nil if there was none yet.
    package var lastSample: Int64?

    package init(isReady: Bool = false, isStopping: Bool = false, status: String = "", lastSample: Int64? = nil) {
        self.isReady = isReady
        self.isStopping = isStopping
        self.status = status
        self.lastSample = lastSample
    }
}

/// Decides when to feed the service manager's watchdog: only while samples arrive.
///
/// If a camera, a driver or the process hangs, no sample arrives after the last feed, and the watchdog is not fed
/// again. The manager then kills and restarts the process. One working device is enough, so that an error of one track
/// never ends the other. Times are nanoseconds of the monotonic clock.
struct Watchdog {
    private let period: Int64
    private var fedAt: Int64

    /// Creates a watchdog that was just fed.
    ///
    /// - Parameter timeout: The manager's timeout, which began at `now`. The watchdog is fed twice within one timeout.
    init(timeout: Int64, now: Int64) {
        period = timeout / 2
        fedAt = now
    }

    /// Returns true if the watchdog is to be fed now.
    ///
    /// - Parameter lastSample: The time of the last sample of any device; nil if there was none yet.
    mutating func isFed(at now: Int64, lastSample: Int64?) -> Bool {
        guard let lastSample, lastSample > fedAt, now - fedAt >= period else { return false }
        fedAt = now
        return true
    }
}
