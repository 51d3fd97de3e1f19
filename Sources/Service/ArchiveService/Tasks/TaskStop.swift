package import AssetIO
import RealTime

/// A request to end a task early. The file of the movie that is being encoded is removed, and no other movie is begun.
/// Thread-safe.
package final class TaskStop: Sendable {
    private struct State: Sendable {
        var session: ExportSession?
        var cancel: (@Sendable () -> Void)?
        var isWanted = false
    }

    private let state = Locked(State())

    package init() {}

    package var isWanted: Bool { state.withLock { $0.isWanted } }

    package func stop() {
        let (session, cancel) = state.withLock { state in
            state.isWanted = true
            return (state.session, state.cancel)
        }
        session?.cancelExport()
        cancel?()
    }

    /// Sets a closure that cancels other work than an export.
    package func bind(_ cancel: @escaping @Sendable () -> Void) {
        let isWanted = state.withLock { state in
            state.cancel = cancel
            return state.isWanted
        }
        if isWanted { cancel() }
    }

    /// Registers an export that is about to begin.
    package func begin(_ session: ExportSession) {
        let isWanted = state.withLock { state in
            state.session = session
            return state.isWanted
        }
        if isWanted { session.cancelExport() }
    }
}
