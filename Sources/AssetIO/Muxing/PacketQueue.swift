import DequeModule
import MediaTypes
import MovieFile
import RealTime
import Synchronization

/// Carries packets to the one thread that owns the file, grouped into fragments.
///
/// The file's thread is woken once per fragment, not per packet. When the disk is behind by more than the limit encoder threads
/// wait here, and their inputs then fill up and refuse; whoever may not wait looks at `hasRoom` or `backlog` before.
///
/// Live packets go on as they come. Where all sources can wait they go on in one order (`PacketOrder`), and what ends a fragment
/// is decided by packets alone: the same packets make the same fragments, whichever thread was faster.
final class PacketQueue: Sendable {
    /// How packets of sources that can wait become the same fragments each time.
    struct Ordering {
        /// The tracks of which packets go on in one order; empty: packets go on as they come.
        var tracks: Set<Int> = []
        /// Titles, which come when somebody thinks of them: those that come behind the first packet stand behind the last.
        var titles: Int?
        /// What there is gets written where a source stalls, whatever that makes of the fragments: nobody could make it again.
        var writesStalled = true
    }

    struct Fragment {
        var packets: [TrackSample]
        /// The packet that follows, where it is known.
        var next: TrackSample?
    }

    enum Work {
        case fragment(Fragment)
        /// Much waits for packets of these tracks: their sources are to go on, whatever holds them back.
        case awaited([Int])
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
        var order: PacketOrder
        /// Titles that are to stand behind everything else.
        var late: [TrackSample] = []
        var hasAllTitles = false
        var openBytes = 0
        /// Tracks that others wait for with much, and those of them that the file's thread has not told yet.
        var awaited: Set<Int> = []
        var newlyAwaited: Set<Int> = []
        /// A segment that waits for the slower tracks.
        var cut: SegmentCut?
        var isFinishing = false
        var hasBegun = false
        var isStopped = false

        mutating func closeFragment(next: TrackSample?) {
            closed.append(Fragment(packets: open, next: next))
            open = []
            openBytes = 0
            open.reserveCapacity(closed.last?.packets.count ?? 0)
        }

        mutating func closeSegment() {
            guard let cut else { return }
            let (segment, later) = cut.divide(open)
            self.cut = nil
            closed.append(Fragment(packets: segment, next: cut.next))
            open = later
            openBytes = later.reduce(0) { $0 + $1.sample.byteCount }
        }

        /// A session begins with the fragment, so that no sample of the one before lasts into it.
        mutating func beginSession(with packet: TrackSample) {
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
    private let ordering: Ordering
    /// Bit n: much waits for track n. For those who ask without the lock.
    private let awaitedTracks = Atomic<UInt64>(0)
    /// After this long without a whole fragment what there is gets written: a source that stalls costs nothing.
    private let patience: Int64

    /// - Parameter sparse: tracks that no fragment waits for.
    init(
        policy: any FragmentCutting, tracks: Int, sparse: Set<Int> = [], ordering: Ordering = Ordering(),
        interval: MediaTime, limit: Int
    ) {
        state = Locked(
            State(
                policy: policy, tracks: Set(0..<tracks), sparse: sparse, order: PacketOrder(tracks: ordering.tracks)))
        self.limit = limit
        self.ordering = ordering
        patience = min(interval.nanoseconds, 1 << 60) / 2 * 3
    }

    /// Bytes of packets that were taken and not written.
    var backlog: Int { bytes.load(ordering: .relaxed) }
    /// Whether a packet would be taken without waiting.
    var hasRoom: Bool { backlog <= limit }

    /// Whether a packet of a track would be taken without waiting: others may wait for just that one.
    func hasRoom(for track: Int) -> Bool { hasRoom || isAwaited(track) }
    /// Whether much waits for packets of a track. Takes no lock.
    func isAwaited(_ track: Int) -> Bool { awaitedTracks.load(ordering: .relaxed) & Self.bit(track) != 0 }

    private static func bit(_ track: Int) -> UInt64 { 1 << UInt64(track & 63) }

    func push(_ packet: TrackSample, mayWait: Bool = true, waiting: (Bool) -> Void) {
        let track = packet.track
        if mayWait,
            state.withLock({ $0.byteCount > limit && !$0.isStopped && !$0.awaited.contains(track) })
        {
            waiting(true)
            state.waiting { $0.byteCount <= limit || $0.isStopped || $0.awaited.contains(track) ? () : nil }
            waiting(false)
        }
        let wakes = state.withLock { state -> Bool in
            guard !state.isStopped else { return false }
            var packet = packet
            if !state.beginning.isEmpty, state.beginning.remove(track) != nil { packet.beginsSession = true }
            count(packet.sample.byteCount, &state)
            if state.order.holds(track) {
                state.order.take(packet)
                goOn(&state)
            } else if track == ordering.titles, state.order.hasBegun {
                state.late.append(packet)
            } else {
                admit(packet, &state)
            }
            return !state.closed.isEmpty || !state.newlyAwaited.isEmpty
        }
        if wakes { state.broadcast() }
    }

    /// What is next in the order, as far as it is there.
    private func goOn(_ state: inout State, waits: Bool = true) {
        while let item = state.order.next(waits: waits) {
            switch item {
            case .packet(let packet): admit(packet, &state)
            case .end(let track): end(track, &state)
            }
        }
        noteAwaited(&state)
        endTitles(&state)
    }

    private func noteAwaited(_ state: inout State) {
        let awaited = state.order.byteCount > limit / 4 ? Set(state.order.awaited) : []
        guard awaited != state.awaited else { return }
        state.newlyAwaited.formUnion(awaited.subtracting(state.awaited))
        state.awaited = awaited
        awaitedTracks.store(awaited.reduce(0) { $0 | Self.bit($1) }, ordering: .relaxed)
    }

    /// Puts a packet into the open fragment, and ends that where it is due.
    private func admit(_ packet: TrackSample, _ state: inout State) {
        if packet.beginsSession { state.beginSession(with: packet) }
        let decision = state.policy.admit(packet.sample, track: packet.track)
        if decision == .endBefore { state.end(before: packet) }
        state.open.append(packet)
        state.openBytes += packet.sample.byteCount
        state.cut?.note(packet)
        if state.cut?.isComplete == true { state.closeSegment() }
        let isFull = isFull(state)
        if decision == .endAfter || isFull {
            if isFull { state.policy.begin() }
            state.closeSegment()
            state.closeFragment(next: nil)
        }
        if !state.closed.isEmpty { state.hasBegun = true }
    }

    /// A fragment that alone would fill the queue ends early, even the first one, which waits for every format.
    private func isFull(_ state: State) -> Bool {
        guard ordering.tracks.isEmpty else {
            // How much the disk has taken meanwhile must not matter. With what waits in the order that is less than the limit: where
            // somebody waits for room, something is on its way to the disk.
            return state.openBytes > (state.policy.isStrict ? limit / 3 * 2 : limit / 3)
        }
        return state.byteCount > (state.policy.isStrict ? limit : limit / 2) && state.closed.isEmpty
    }

    /// The next packet of a track is of another session.
    func beginSession(ofTrack index: Int) { state.withLock { _ = $0.beginning.insert(index) } }

    func endTrack(_ index: Int) {
        state.withLock { state in
            if state.order.holds(index) {
                state.order.end(index)
                goOn(&state)
            } else if index == ordering.titles {
                state.hasAllTitles = true
                endTitles(&state)
            } else {
                end(index, &state)
            }
        }
        state.broadcast()
    }

    private func end(_ track: Int, _ state: inout State) {
        state.tracks.remove(track)
        state.cut?.noteEnd(track: track)
        if state.cut?.isComplete == true { state.closeSegment() }
    }

    /// Titles stand behind everything else, once all of both is there.
    private func endTitles(_ state: inout State) {
        guard let titles = ordering.titles, state.hasAllTitles, state.order.isOver else { return }
        for packet in state.late { admit(packet, &state) }
        state.late = []
        end(titles, &state)
    }

    /// Blocks until a fragment is due. Only the file's thread calls it.
    func next() -> Work {
        while true {
            if let work = state.waiting(atMost: patience, until: { state in Self.take(&state) }) { return work }
            let stalled = state.withLock { state -> Work? in
                guard state.hasBegun, ordering.writesStalled, !state.policy.isStrict, state.closed.isEmpty else {
                    return nil
                }
                if state.order.byteCount > 0 { goOn(&state, waits: false) }
                guard !state.open.isEmpty else { return nil }
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
        if !state.newlyAwaited.isEmpty {
            defer { state.newlyAwaited = [] }
            return .awaited(state.newlyAwaited.sorted())
        }
        guard state.tracks.isEmpty else { return nil }
        guard !state.open.isEmpty else { return state.isFinishing ? .end : nil }
        let rest = Fragment(packets: state.open, next: nil)
        (state.open, state.openBytes) = ([], 0)
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
            state.order.removeAll()
            state.late = []
            count(-state.byteCount, &state)
        }
        state.broadcast()
    }
}
