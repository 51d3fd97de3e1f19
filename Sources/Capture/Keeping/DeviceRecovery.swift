import MediaTypes

/// When a device that went away is tried again, and what of it is told. A plain value; times are nanoseconds of the clock
/// that its owner reads.
///
///     opened ─ started ─► running ─ failed ─► lost ─► closing ─ closed ─► waiting ─► opening ─ reopened ─► proving
///                            ▲                 ▲                             ▲          │                  │  │
///                            │                 └── failed ───────────────────┼──────────┼──────────────────┘  │
///                            │                                             └─ refused ┘                     │
///                            └──────────────────────────── delivered ───────────────────────────────────────┘
///
/// The first try comes at once, the next after 0.25 s, 0.5 s, 1 s, then every 2 s. A hint that something was plugged in
/// brings the next try forward, but two tries are 0.25 s apart. A device that fails again within 2 s of its return is not
/// tried at once: its tries go on as if it had never been back.
struct DeviceRecovery: Sendable {
    enum Phase: Equatable, Sendable {
        case opened, running, lost, closing
        case waiting(until: Int64)
        case opening, proving, stopped
    }

    /// What the owner has to do, on a thread that may block.
    enum Step: Equatable, Sendable {
        /// Close the failed device, then say `closed`.
        case close
        /// Open it, say `reopened`, and start it; when either fails, say `refused`.
        case open
        case end
    }

    static let shortestDelay: Int64 = 250_000_000
    static let longestDelay: Int64 = 2_000_000_000
    /// A device that ran for so long has come back for good.
    static let steadyTime: Int64 = 2_000_000_000

    private(set) var phase = Phase.opened
    /// Tries that came to nothing since the device last ran for good, or since the last hint.
    private var failedTries = 0
    private var isHinted = false
    private var lastTry: Int64?
    private var lastReturn: Int64?
    /// When the last sample came.
    private var lastDelivery: Int64?
    private var lastTold: MediaError.Code?
    private var lastRefusal: MediaError.Code?

    mutating func started() { if phase == .opened { phase = .running } }

    /// The device failed.
    ///
    /// - Returns: whether that is to be told: not when it never was back.
    mutating func failed(_ error: MediaError, at now: Int64) -> Bool {
        switch phase {
        case .running:
            // A stream that froze ran until its last sample, not until that was noticed.
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

    /// What has to be done now; nil when that is to wait. Each step is given out once.
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

    /// When it is tried next; nil when only an event can bring that about.
    var due: Int64? {
        guard case .waiting(let until) = phase else { return nil }
        return until
    }

    /// The failed device is closed.
    mutating func closed(at now: Int64) { if phase == .closing { wait(from: now) } }

    /// The failed device could not be closed, and is left behind.
    ///
    /// - Returns: whether that is to be told.
    mutating func abandoned(_ error: MediaError, at now: Int64) -> Bool {
        guard phase == .closing else { return false }
        wait(from: now)
        return isNews(error)
    }

    /// The device could not be opened or started.
    ///
    /// - Returns: whether that is to be told: when it happens twice in a row, since a new node belongs to root until udev has
    ///   seen it. That the device is not there goes without saying.
    mutating func refused(_ error: MediaError, at now: Int64) -> Bool {
        guard phase == .opening || phase == .proving else { return false }
        failedTries += 1
        wait(from: now)
        defer { lastRefusal = error.code }
        return error.code != .notFound && error.code == lastRefusal && isNews(error)
    }

    /// The device is open; whether it starts and delivers remains to be seen.
    ///
    /// - Returns: false when it was stopped in the meantime.
    mutating func reopened() -> Bool {
        guard phase == .opening else { return false }
        phase = .proving
        return true
    }

    /// A sample came.
    ///
    /// - Returns: whether the device is back with it.
    mutating func delivered(at now: Int64) -> Bool {
        lastDelivery = now
        guard phase == .proving else { return false }
        phase = .running
        isHinted = false
        lastReturn = now
        return true
    }

    /// Something was plugged in, or became accessible.
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
        // A driver may announce its node afresh whenever somebody opens it: that must not become a loop.
        lastTry.map { max(now, $0 + Self.shortestDelay) } ?? now
    }

    private mutating func isNews(_ error: MediaError) -> Bool {
        guard error.code != lastTold else { return false }
        lastTold = error.code
        return true
    }
}
