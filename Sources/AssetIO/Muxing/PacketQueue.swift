import DequeModule
import MediaTypes
import MovieFile
import RealTime
import Synchronization

/// Carries packets to the one thread that owns the file, grouped into fragments.
///
/// The file's thread is woken once per fragment, not per packet. When the disk is behind by more than the limit encoder threads
/// wait here, and their inputs then fill up and refuse; whoever may not wait looks at `hasRoom` or `backlog` before.
final class PacketQueue: Sendable {
    struct Fragment {
        var packets: [TrackSample]
        /// The packet that follows, where it is known.
        var next: TrackSample?
    }

    enum Work {
        case fragment(Fragment)
        /// The writer is finishing, every track has ended and everything was taken.
        case end
        case stop
    }

    private struct State {
        var policy: any FragmentCutting
        var open: [TrackSample] = []
        var closed: Deque<Fragment> = []
        var byteCount = 0
        /// Tracks that have not ended.
        var tracks: Set<Int>
        let sparse: Set<Int>
        /// Tracks whose next packet is the first one of another session.
        var beginning: Set<Int> = []
        /// A segment that waits for the slower tracks.
        var cut: SegmentCut?
        var isFinishing = false
        var hasBegun = false
        var isStopped = false

        mutating func closeFragment(next: TrackSample?) {
            closed.append(Fragment(packets: open, next: next))
            open = []
            open.reserveCapacity(closed.last?.packets.count ?? 0)
        }

        mutating func closeSegment() {
            guard let cut else { return }
            let (segment, later) = cut.divide(open)
            self.cut = nil
            closed.append(Fragment(packets: segment, next: cut.next))
            open = later
        }

        /// A session begins with the fragment, so that no sample of the one before lasts into it.
        mutating func beginSession(with packet: inout TrackSample) {
            packet.beginsSession = true
            let track = packet.track
            guard open.contains(where: { $0.track == track }) else { return }
            closeSegment()
            policy.begin()
            closeFragment(next: packet)
        }

        /// What `packet` ends before it is taken.
        mutating func end(before packet: TrackSample) {
            guard policy.isStrict else { return closeFragment(next: packet) }
            closeSegment()
            cut = SegmentCut(before: packet, position: open.count, tracks: tracks.subtracting(sparse))
        }
    }

    private let state: Locked<State>
    /// Bytes of packets that were taken and not written, for those who ask without the lock.
    private let bytes = Atomic(0)
    private let limit: Int
    /// After this long without a whole fragment what there is gets written: a source that stalls costs nothing.
    private let patience: Int64

    /// - Parameter sparse: tracks that no fragment waits for.
    init(policy: any FragmentCutting, tracks: Int, sparse: Set<Int> = [], interval: MediaTime, limit: Int) {
        state = Locked(State(policy: policy, tracks: Set(0..<tracks), sparse: sparse))
        self.limit = limit
        patience = min(interval.nanoseconds, 1 << 60) / 2 * 3
    }

    /// Bytes of packets that were taken and not written.
    var backlog: Int { bytes.load(ordering: .relaxed) }
    /// Whether a packet would be taken without waiting.
    var hasRoom: Bool { backlog <= limit }

    func push(_ packet: TrackSample, mayWait: Bool = true, waiting: (Bool) -> Void) {
        if mayWait, state.withLock({ $0.byteCount > limit && !$0.isStopped }) {
            waiting(true)
            state.waiting { $0.byteCount <= limit || $0.isStopped ? () : nil }
            waiting(false)
        }
        let wakes = state.withLock { state -> Bool in
            guard !state.isStopped else { return false }
            var packet = packet
            if !state.beginning.isEmpty, state.beginning.remove(packet.track) != nil {
                state.beginSession(with: &packet)
            }
            let decision = state.policy.admit(packet.sample, track: packet.track)
            if decision == .endBefore { state.end(before: packet) }
            state.open.append(packet)
            count(packet.sample.byteCount, &state)
            state.cut?.note(packet)
            if state.cut?.isComplete == true { state.closeSegment() }
            // A fragment that alone would fill the queue ends early, even the first one, which waits for every format.
            let full = state.policy.isStrict ? limit : limit / 2
            let isFull = state.byteCount > full && state.closed.isEmpty
            if decision == .endAfter || isFull {
                if isFull { state.policy.begin() }
                state.closeSegment()
                state.closeFragment(next: nil)
            }
            if !state.closed.isEmpty { state.hasBegun = true }
            return !state.closed.isEmpty
        }
        if wakes { state.broadcast() }
    }

    /// The next packet of a track is of another session.
    func beginSession(ofTrack index: Int) { state.withLock { _ = $0.beginning.insert(index) } }

    func endTrack(_ index: Int) {
        state.withLock { state in
            state.tracks.remove(index)
            state.cut?.noteEnd(track: index)
            if state.cut?.isComplete == true { state.closeSegment() }
        }
        state.broadcast()
    }

    /// Blocks until a fragment is due. Only the file's thread calls it.
    func next() -> Work {
        while true {
            if let work = state.waiting(atMost: patience, until: { state in Self.take(&state) }) { return work }
            let stalled = state.withLock { state -> Work? in
                guard state.hasBegun, !state.policy.isStrict, state.closed.isEmpty, !state.open.isEmpty else {
                    return nil
                }
                state.policy.begin()
                state.closeFragment(next: nil)
                return Self.take(&state)
            }
            if let stalled { return stalled }
        }
    }

    private static func take(_ state: inout State) -> Work? {
        if state.isStopped { return .stop }
        if let fragment = state.closed.popFirst() { return .fragment(fragment) }
        guard state.tracks.isEmpty else { return nil }
        guard !state.open.isEmpty else { return state.isFinishing ? .end : nil }
        let rest = Fragment(packets: state.open, next: nil)
        state.open = []
        return .fragment(rest)
    }

    /// The segment that is open ends before the next key frame behind a moment.
    func flushSegment(after time: MediaTime?) { state.withLock { $0.policy.flush(after: time) } }

    /// Nothing more comes once the tracks have ended.
    func finish() {
        state.withLock { $0.isFinishing = true }
        state.broadcast()
    }

    /// The file's thread has dealt with a fragment; waiting encoders may go on.
    ///
    /// - Returns: whether there is room, after there was none.
    func noteWritten(_ fragment: Fragment) -> Bool {
        let size = fragment.packets.reduce(0) { $0 + $1.sample.byteCount }
        let hadRoom = state.withLock { state in
            let hadRoom = state.byteCount <= limit
            if !state.isStopped { count(-size, &state) }
            return hadRoom
        }
        state.broadcast()
        return !hadRoom && hasRoom
    }

    private func count(_ size: Int, _ state: inout State) {
        state.byteCount += size
        bytes.store(state.byteCount, ordering: .relaxed)
    }

    /// Waits for as long, or until everything is given up. Only the file's thread calls it.
    ///
    /// - Returns: whether it is not.
    func waits(nanoseconds: Int64) -> Bool {
        state.waiting(atMost: nanoseconds) { $0.isStopped ? true : nil } == nil
    }

    /// Gives everything up; nobody waits any more.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.open = []
            state.closed.removeAll()
            state.cut = nil
            count(-state.byteCount, &state)
        }
        state.broadcast()
    }
}
