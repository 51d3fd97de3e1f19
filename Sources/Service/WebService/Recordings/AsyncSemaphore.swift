import RealTime

/// Limits how many callers work at the same time; the others wait in order of arrival. Thread-safe.
final class AsyncSemaphore: Sendable {
    private let state: Locked<(free: Int, waiting: [CheckedContinuation<Bool, Never>])>
    private let mostWaiting: Int

    init(_ count: Int, waiting: Int) {
        state = Locked((count, []))
        mostWaiting = waiting
    }

    /// Waits until this caller may work. The caller must call `signal` when its work is done.
    ///
    /// - Returns: false if too many callers wait.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                guard state.waiting.count < mostWaiting else { return false }
                state.waiting.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    func signal() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: true)
    }
}
