package import AssetIO
import RealTime

/// The wish that a task ends early: the film that is being encoded leaves nothing, and none is begun after it. Any thread.
package final class TaskStop: Sendable {
    private struct State: Sendable {
        var session: ExportSession?
        var isWanted = false
    }

    private let state = Locked(State())

    package init() {}

    package var isWanted: Bool { state.withLock { $0.isWanted } }

    package func stop() {
        let session = state.withLock { state in
            state.isWanted = true
            return state.session
        }
        session?.cancelExport()
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
