import MediaTypes
import RealTime

/// The interleaving of one writer's tracks, protected by a lock, and the tracks to wake when it changes.
///
/// A track may call the gate while holding the track's lock. The gate never calls a track while holding its own lock.
final class InterleavingGate: Sendable {
    private struct Member { weak var admission: SharedAdmission? }
    private struct State {
        var interleaving: Interleaving
        var members: [Member] = []
    }

    private let state: Locked<State>

    init(_ interleaving: Interleaving) { state = Locked(State(interleaving: interleaving)) }

    /// Registers the tracks. Called once, before the session.
    func join(_ admissions: [SharedAdmission]) { state.withLock { $0.members = admissions.map(Member.init) } }

    func begin(at start: MediaTime) { state.withLock { $0.interleaving.begin(at: start) } }
    func mayContinue(_ index: Int) -> Bool { state.withLock { $0.interleaving.mayContinue(index) } }
    func advance(_ index: Int, to time: MediaTime) -> Bool {
        state.withLock { $0.interleaving.advance(index, to: time) }
    }
    func release(_ index: Int) -> Bool { state.withLock { $0.interleaving.release(index) } }

    /// Makes every track check again if it may continue. Never called with a lock held.
    func wakeAll() {
        let admissions = state.withLock { $0.members.compactMap(\.admission) }
        for admission in admissions { admission.updateReadiness() }
    }
}
