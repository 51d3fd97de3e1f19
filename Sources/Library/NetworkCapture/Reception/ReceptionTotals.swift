import RealTime

/// The account of a network camera's packets over all of its connections. Any thread may read it; the thread of the
/// present connection updates it.
package final class ReceptionTotals: Sendable {
    private struct State: Sendable {
        /// The account of the connections that have ended.
        var past: ReceptionFigures?
        var present: ReceptionFigures?

        var total: ReceptionFigures? {
            guard let past, let present else { return past ?? present }
            return past.adding(present)
        }
    }

    private let state = Locked(State())

    package init() {}

    /// The account so far; nil before the first connection has streams.
    package var figures: ReceptionFigures? { state.withLock { $0.total } }

    /// Replaces the account of the present connection.
    func update(_ figures: ReceptionFigures) { state.withLock { $0.present = figures } }

    /// Ends the account of the present connection. Idempotent.
    func endConnection() {
        state.withLock { state in
            state.past = state.total
            state.present = nil
        }
    }
}
