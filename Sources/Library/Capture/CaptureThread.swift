import Glibc
package import MediaTypes
package import RealTime

/// The thread of a source: started once and stopped once. Every caller that stops it waits for its end.
package final class CaptureThread: Sendable {
    private enum State {
        case idle
        case running(NamedThread?)
        case ended
    }

    private let name: String
    private let state = Locked(State.idle)

    /// Readable once the thread has to end. The thread polls it together with its device.
    package let stopSignal = WakeUp()

    /// Creates the thread's state without starting it.
    ///
    /// - Parameter name: The thread's name, at most 15 bytes.
    package init(name: String) { self.name = name }

    deinit { stopSignal.fire() }

    /// Runs `prepare` on the calling thread, then `body` and `close` on a new thread.
    ///
    /// - Parameters:
    ///   - action: The start of an error's message, such as "cannot start …".
    ///   - prepare: Starts the device.
    ///   - body: Returns soon after `stopSignal` has fired, or when the device has failed.
    ///   - close: Releases the device: after `body`, or on the calling thread if `prepare` threw or no thread could be
    ///     created.
    /// - Throws: `invalidState` the second time and after `stop`; the error of `prepare`; `ioFailure` if no thread can
    ///   be created.
    package func start(
        _ action: String, prepare: () throws(MediaError) -> Void, body: @escaping @Sendable () -> Void,
        close: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .running(nil)
            return true
        }
        guard isFirst else { throw MediaError(.invalidState, action, reason: "it was started or stopped before") }
        do throws(MediaError) {
            guard stopSignal.isUsable else {
                throw MediaError(.ioFailure, action, reason: "too many open files", underlying: .errno(EMFILE))
            }
            try prepare()
            let thread = try run {
                body()
                close()
            }
            state.withLock { if case .running = $0 { $0 = .running(thread) } }
        } catch {
            close()
            end()
            throw MediaError(
                error.code, action, reason: error.reason, underlying: error.underlying, wayOut: error.wayOut)
        }
    }

    private func run(_ body: @escaping @Sendable () -> Void) throws(MediaError) -> NamedThread {
        do throws(ThreadError) {
            return try NamedThread(name, isUrgent: true) { [state] in
                body()
                state.withLock { $0 = .ended }
                state.broadcast()
            }
        } catch {
            throw MediaError(.ioFailure, "", reason: "no thread is available", underlying: .errno(error.errno))
        }
    }

    private func end() {
        state.withLock { $0 = .ended }
        state.broadcast()
    }

    /// Signals the thread to end, and waits until it has ended. Call it on any other thread; idempotent.
    ///
    /// - Returns: True for the first call, if the thread was never started. The caller then closes the device.
    package func stop() -> Bool {
        stopSignal.fire()
        return state.waiting { state in
            switch state {
            case .idle:
                state = .ended
                return true
            case .running: return nil
            case .ended: return false
            }
        }
    }
}
