import Glibc

/// Waits until `condition` holds, on this thread. false when it did not within `seconds`: long enough for the slowest machine
/// under a sanitizer, and never waited out by a test that passes.
public func eventually(within seconds: Double = 30, _ condition: () throws -> Bool) rethrows -> Bool {
    // The clock that stands still with the device lab's virtual time.
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let deadline = now() + seconds
    while try !condition() {
        if now() > deadline { return false }
        usleep(500)
    }
    return true
}

/// A condition did not become true in time.
public struct TooLate: Error {
    public init() {}
}

/// The same in a task, without holding a thread: for what other tasks bring about.
///
/// - Throws: `TooLate`.
public func waitUntil(within seconds: Double = 30, _ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !condition() {
        guard ContinuousClock.now < deadline else { throw TooLate() }
        try await Task.sleep(for: .milliseconds(2))
    }
}
