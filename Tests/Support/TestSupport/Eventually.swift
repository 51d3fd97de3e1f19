import Glibc

/// Blocks this thread until `condition` is true. Returns false after `seconds`: long enough for a machine that builds
/// other programs meanwhile, and never reached by a test that passes. It is checked every `interval` seconds: rarely if
/// the check starts programs, because the device lab's virtual time passes only while the guest waits.
public func eventually(
    within seconds: Double = 600, every interval: Double = 0.0005, _ condition: () throws -> Bool
) rethrows -> Bool {
    // This clock stops together with the device lab's virtual time.
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let deadline = now() + seconds
    while try !condition() {
        if now() > deadline { return false }
        usleep(UInt32(interval * 1_000_000))
    }
    return true
}

/// A condition did not become true in time.
public struct TooLate: Error {
    public init() {}
}

/// Waits in a task, without blocking a thread, for a condition that other tasks make true.
///
/// - Throws: `TooLate`.
public func waitUntil(within seconds: Double = 600, _ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !condition() {
        guard ContinuousClock.now < deadline else { throw TooLate() }
        try await Task.sleep(for: .milliseconds(2))
    }
}
