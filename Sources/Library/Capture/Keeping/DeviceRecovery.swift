import MediaTypes

/// The retry schedule of a disconnected device, and the decision which of its failures to report. A plain value. Times
/// are nanoseconds of the clock that its owner reads.
///
///     opened ─ started ─► running ─ failed ─► lost ─► closing ─ closed ─► waiting ─► opening ─ reopened ─► proving
///                            ▲                 ▲                             ▲          │                  │  │
///                            │                 └── failed ───────────────────┼──────────┼──────────────────┘  │
///                            │                                             └─ refused ┘                     │
///                            └──────────────────────────── delivered ───────────────────────────────────────┘
///
/// The first attempt is immediate; the next ones follow after 0.25 s, 0.5 s, 1 s, then every 2 s. A hint that something
/// was plugged in brings the next attempt forward, but two attempts are at least 0.25 s apart. A device that fails
/// again within 2 s of its return is not retried at once: its delays continue as if it had never been back.
struct DeviceRecovery: Sendable {
    enum Phase: Equatable, Sendable {
        case opened, running, lost, closing
        case waiting(until: Int64)
        case opening, proving, stopped
    }

    /// A step that the owner has to take, on a thread that may block.
    enum Step: Equatable, Sendable {
        /// Close the failed device, then call `closed`.
        case close
        /// Open the device, call `reopened`, and start it; if either fails, call `refused`.
        case open
        case end
    }

    static let shortestDelay: Int64 = 250_000_000
    static let longestDelay: Int64 = 2_000_000_000
    /// The time, in nanoseconds, after which a reconnected device counts as stable.
    static let steadyTime: Int64 = 2_000_000_000

    private(set) var phase = Phase.opened
    /// The number of failed attempts since the device was last stable, or since the last hint.
    private var failedTries = 0
    private var isHinted = false
    private var lastTry: Int64?
    private var lastReturn: Int64?
    /// The time of the last sample.
    private var lastDelivery: Int64?
    private var lastTold: MediaError.Code?
    private var lastRefusal: MediaError.Code?

    mutating func started() { if phase == .opened { phase = .running } }

    /// Records that the device failed.
    ///
    /// - Returns: true if the failure is to be reported; false if it is not new, or if the device is disconnected
    ///   already.
    mutating func failed(_ error: MediaError, at now: Int64) -> Bool {
        switch phase {
        case .running:
            // A stream that froze ran until its last sample, not until the freeze was detected.
            let isBackForGood = lastReturn.map { (lastDelivery ?? $0) - $0 >= Self.steadyTime } ?? true
            failedTries = isBackForGood ? 0 : failedTries + 1
            lastTold = nil
            lastRefusal = nil
        case .proving: failedTries += 1
        default: return false
        }
        phase = .lost
        return isNews(error)
    }

    /// Returns the step that is due now; nil if there is none. Each step is returned once.
    mutating func step(at now: Int64) -> Step? {
        switch phase {
        case .stopped: return .end
        case .lost:
            phase = .closing
            return .close
        case .waiting(let until) where now >= until:
            phase = .opening
            lastTry = now
            isHinted = false
            return .open
        default: return nil
        }
    }

    /// The time of the next attempt; nil if only an event can lead to one.
    var due: Int64? {
        guard case .waiting(let until) = phase else { return nil }
        return until
    }

    /// Records that the failed device is closed.
    mutating func closed(at now: Int64) { if phase == .closing { wait(from: now) } }

    /// Records that the failed device could not be closed and is abandoned.
    ///
    /// - Returns: true if this is to be reported.
    mutating func abandoned(_ error: MediaError, at now: Int64) -> Bool {
        guard phase == .closing else { return false }
        wait(from: now)
        return isNews(error)
    }

    /// Records that the device could not be opened or started.
    ///
    /// - Returns: True if the refusal is to be reported: only the second one in a row, because a new node belongs to
    ///   root until udev has processed it. A missing device is never reported.
    mutating func refused(_ error: MediaError, at now: Int64) -> Bool {
        guard phase == .opening || phase == .proving else { return false }
        failedTries += 1
        wait(from: now)
        defer { lastRefusal = error.code }
        return error.code != .notFound && error.code == lastRefusal && isNews(error)
    }

    /// Records that the device is open. It has not started or delivered yet.
    ///
    /// - Returns: False if the device was stopped in the meantime.
    mutating func reopened() -> Bool {
        guard phase == .opening else { return false }
        phase = .proving
        return true
    }

    /// Records that a sample arrived.
    ///
    /// - Returns: true if the device is back with this sample.
    mutating func delivered(at now: Int64) -> Bool {
        lastDelivery = now
        guard phase == .proving else { return false }
        phase = .running
        isHinted = false
        lastReturn = now
        return true
    }

    /// Records a hint that a device was plugged in or became accessible.
    mutating func hinted(at now: Int64) {
        switch phase {
        case .waiting:
            failedTries = 0
            phase = .waiting(until: soonest(from: now))
        case .lost, .closing, .opening, .proving: isHinted = true
        case .opened, .running, .stopped: break
        }
    }

    mutating func stop() { phase = .stopped }

    private mutating func wait(from now: Int64) {
        if isHinted { failedTries = 0 }
        isHinted = false
        let delay =
            failedTries == 0 ? 0 : min(Self.longestDelay, Self.shortestDelay << Int64(min(failedTries, 8) - 1))
        phase = .waiting(until: max(now + delay, soonest(from: now)))
    }

    private func soonest(from now: Int64) -> Int64 {
        // A driver may announce its node again at every open, which must not become a loop.
        lastTry.map { max(now, $0 + Self.shortestDelay) } ?? now
    }

    private mutating func isNews(_ error: MediaError) -> Bool {
        guard error.code != lastTold else { return false }
        lastTold = error.code
        return true
    }
}
