import MediaTypes
import RealTime

/// The interleaving of one writer's tracks behind its lock, and the tracks to wake when it changes.
///
/// A track asks and tells it while it holds its own lock; it never calls a track while it holds its lock.
final class InterleavingGate: Sendable {
    private struct Member { weak var track: TrackIntake? }
    private struct State {
        var interleaving: Interleaving
        var members: [Member] = []
    }

    private let state: Locked<State>

    init(_ interleaving: Interleaving) { state = Locked(State(interleaving: interleaving)) }

    /// Once, before the session.
    func join(_ tracks: [TrackIntake]) { state.withLock { $0.members = tracks.map(Member.init) } }

    func begin(at start: MediaTime) { state.withLock { $0.interleaving.begin(at: start) } }
    func isFree(_ index: Int) -> Bool { state.withLock { $0.interleaving.isFree(index) } }
    func advance(_ index: Int, to time: MediaTime) -> Bool {
        state.withLock { $0.interleaving.advance(index, to: time) }
    }
    func release(_ index: Int) -> Bool { state.withLock { $0.interleaving.release(index) } }

    /// Lets every track look again whether it may go on. Never called with a lock held.
    func wakeAll() {
        let tracks = state.withLock { $0.members.compactMap(\.track) }
        for track in tracks { track.lookAgain() }
    }
}
