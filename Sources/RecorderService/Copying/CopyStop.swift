import RealTime

/// The wish to end, which a copier hears wherever it waits. Any thread.
final class CopyStop: Sendable {
    private let wake = WakeUp()
    private let state = Locked(false)

    /// For `poll`: readable once it is wished.
    var descriptor: Int32 { wake.fileDescriptor }
    var isWished: Bool { state.withLock { $0 } }

    func wish() {
        state.withLock { $0 = true }
        wake.fire()
    }
}
