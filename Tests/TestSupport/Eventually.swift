import Glibc

/// Waits until `condition` holds. false when it did not within `seconds`: long enough for the slowest machine under a
/// sanitizer, and never waited out by a test that passes.
public func eventually(within seconds: Double = 30, _ condition: () throws -> Bool) rethrows -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let deadline = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 + seconds
    while try !condition() {
        clock_gettime(CLOCK_MONOTONIC, &now)
        if Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 > deadline { return false }
        usleep(500)
    }
    return true
}
