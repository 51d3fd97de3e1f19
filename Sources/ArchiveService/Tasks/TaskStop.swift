package import AssetIO
import RealTime

/// The wish that a task ends early: the film that is being encoded leaves nothing, and none is begun after it. Any thread.
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

    /// What is called as well, to end whatever is no export.
    package func bind(_ cancel: @escaping @Sendable () -> Void) {
        let isWanted = state.withLock { state in
            state.cancel = cancel
            return state.isWanted
        }
        if isWanted { cancel() }
    }

    /// An export is about to begin.
    package func begin(_ session: ExportSession) {
        let isWanted = state.withLock { state in
            state.session = session
            return state.isWanted
        }
        if isWanted { session.cancelExport() }
    }
}
