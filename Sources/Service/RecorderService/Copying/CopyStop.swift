import RealTime

/// The request to stop a copier, which ends each of its waits. Thread-safe.
final class CopyStop: Sendable {
    private let wake = WakeUp()
    private let state = Locked(false)

    /// The descriptor for `poll`, readable once a stop is requested.
    var descriptor: Int32 { wake.fileDescriptor }
    var isWished: Bool { state.withLock { $0 } }

    func wish() {
        state.withLock { $0 = true }
        wake.fire()
    }
}
