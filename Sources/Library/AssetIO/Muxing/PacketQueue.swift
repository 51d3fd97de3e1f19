import DequeModule
import MediaTypes
import MovieFile
import RealTime
import Synchronization

/// Passes packets to the one thread that owns the file, grouped into fragments.
///
/// The file's thread is woken once per fragment, not per packet. If the disk lags by more than the limit, encoder
/// threads wait here; their inputs then fill up and refuse samples. Callers that must not wait check `hasRoom` or
/// `backlog` before they call.
///
/// Live packets are passed on as they come. If all sources can wait, packets are passed on in one order
/// (`PacketOrder`), and only packets decide where a fragment ends. The same packets then make the same fragments,
/// whichever thread was faster.
final class PacketQueue: Sendable {
    /// The order in which packets of sources that can wait are passed on, so that the same packets form the same
    /// fragments.
    struct Ordering {
        /// The tracks whose packets are passed on in one common order. If it is empty, packets are passed on as they
        /// come.
        var tracks: Set<Int> = []
        /// The track of titles, which come at any time. Titles that are added after the first packet are stored at the
        /// end, after all packets.
        var titles: Int?
        /// True if the packets in the queue are written when a source stalls, because they cannot be captured again.
        /// In this case, the stall decides which packets a fragment contains.
        var writesStalled = true
    }

    struct Fragment {
        var packets: [TrackSample]
        /// The packet that follows the fragment, if it is known.
        var next: TrackSample?
    }

    enum Work {
        case fragment(Fragment)
        /// Many packets wait for these tracks, so their sources must continue, whatever holds them back.
        case awaited([Int])
        /// The writer is finishing, every track has ended, and everything was taken from the queue.
        case end
        case stop
    }

    private struct State {
        var policy: any FragmentCutting
        var open: [TrackSample] = []
        var closed: Deque<Fragment> = []
        var byteCount = 0
        /// The tracks that have not ended.
        var tracks: Set<Int>
        let sparse: Set<Int>
        /// The tracks whose next packet is the first one of another session.
        var beginning: Set<Int> = []
        var order: PacketOrder
        /// The titles that are stored after everything else.
        var late: [TrackSample] = []
        var hasAllTitles = false
        var openBytes = 0
        /// The tracks for which many other packets wait; `newlyAwaited` are those that the file's thread has not
        /// reported yet.
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

        /// Starts a new fragment with the session, so that no sample of the previous session extends into it.
        mutating func beginSession(with packet: TrackSample) {
            let track = packet.track
            guard open.contains(where: { $0.track == track }) else { return }
            closeSegment()
            policy.begin()
            closeFragment(next: packet)
        }

        /// Ends the fragment or segment before `packet` is added.
        mutating func end(before packet: TrackSample) {
            guard policy.isStrict else { return closeFragment(next: packet) }
            closeSegment()
            cut = SegmentCut(before: packet, position: open.count, tracks: tracks.subtracting(sparse))
        }
    }

    private let state: Locked<State>
    /// The number of packet bytes that were accepted and not written, for readers without the lock.
    private let bytes = Atomic(0)
    private let limit: Int
    private let ordering: Ordering
    /// A bit mask: bit n is set if many packets wait for track n. For readers without the lock.
    private let awaitedTracks = Atomic<UInt64>(0)
    /// The time without a complete fragment, in nanoseconds, after which the present packets are written. So a stalled
    /// source causes no loss of packets.
    private let patience: Int64

    /// - Parameter sparse: the tracks for which no fragment waits.
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

    /// The number of packet bytes that were accepted and not written.
    var backlog: Int { bytes.load(ordering: .relaxed) }
    /// True if a packet would be accepted without waiting.
    var hasRoom: Bool { backlog <= limit }

    /// Returns true if a packet of a track would be accepted without waiting: if there is room, or if other tracks wait
    /// for that packet.
    func hasRoom(for track: Int) -> Bool { hasRoom || isAwaited(track) }
    /// Returns true if many packets wait for a track. Takes no lock.
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
                advance(&state)
            } else if track == ordering.titles, state.order.hasBegun {
                state.late.append(packet)
            } else {
                admit(packet, &state)
            }
            return !state.closed.isEmpty || !state.newlyAwaited.isEmpty
        }
        if wakes { state.broadcast() }
    }

    /// Passes on the packets that are next in the order.
    private func advance(_ state: inout State, waits: Bool = true) {
        while let item = state.order.next(waits: waits) {
            switch item {
            case .packet(let packet): admit(packet, &state)
            case .end(let track): end(track, &state)
            }
        }
        recordAwaited(&state)
        endTitles(&state)
    }

    private func recordAwaited(_ state: inout State) {
        let awaited = state.order.byteCount > limit / 4 ? Set(state.order.awaited) : []
        guard awaited != state.awaited else { return }
        state.newlyAwaited.formUnion(awaited.subtracting(state.awaited))
        state.awaited = awaited
        awaitedTracks.store(awaited.reduce(0) { $0 | Self.bit($1) }, ordering: .relaxed)
    }

    /// Adds a packet to the open fragment, and ends the fragment if it is due.
    private func admit(_ packet: TrackSample, _ state: inout State) {
        if packet.beginsSession { state.beginSession(with: packet) }
        let decision = state.policy.admit(packet.sample, track: packet.track)
        if decision == .endBefore { state.end(before: packet) }
        state.open.append(packet)
        state.openBytes += packet.sample.byteCount
        state.cut?.record(packet)
        if state.cut?.isComplete == true { state.closeSegment() }
        let isFull = isFull(state)
        if decision == .endAfter || isFull {
            if isFull { state.policy.begin() }
            state.closeSegment()
            state.closeFragment(next: nil)
        }
        if !state.closed.isEmpty { state.hasBegun = true }
    }

    /// Returns true if the fragment alone would fill the queue. The fragment then ends early. This also applies to the
    /// first fragment, which otherwise waits until every track's format is known.
    private func isFull(_ state: State) -> Bool {
        guard ordering.tracks.isEmpty else {
            // The result must not depend on how much the disk has written meanwhile. The open packets and the packets
            // that wait in the order are together smaller than the limit. So if a thread waits for room, a fragment is
            // on its way to the disk.
            return state.openBytes > (state.policy.isStrict ? limit / 3 * 2 : limit / 3)
        }
        return state.byteCount > (state.policy.isStrict ? limit : limit / 2) && state.closed.isEmpty
    }

    /// Marks the next packet of a track as the first of another session.
    func beginSession(ofTrack index: Int) { state.withLock { _ = $0.beginning.insert(index) } }

    func endTrack(_ index: Int) {
        state.withLock { state in
            if state.order.holds(index) {
                state.order.end(index)
                advance(&state)
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
        state.cut?.recordEnd(track: track)
        if state.cut?.isComplete == true { state.closeSegment() }
    }

    /// Adds the late titles after all other packets, once all titles have come and all ordered packets have been passed
    /// on.
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
                if state.order.byteCount > 0 { advance(&state, waits: false) }
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

    /// Ends the open segment before the next keyframe after a time.
    func flushSegment(after time: MediaTime?) { state.withLock { $0.policy.flush(after: time) } }

    /// Marks the end of the movie. Once every track has ended, the last fragment is complete.
    func finish() {
        state.withLock { $0.isFinishing = true }
        state.broadcast()
    }

    /// Records that the file's thread has processed a fragment; waiting encoders may continue.
    ///
    /// - Returns: true if there is room, after there was none.
    func recordWritten(_ fragment: Fragment) -> Bool {
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

    /// Waits for the given time, or until `stop` is called. Only the file's thread calls it.
    ///
    /// - Returns: true if `stop` was not called.
    func waits(nanoseconds: Int64) -> Bool {
        state.waiting(atMost: nanoseconds) { $0.isStopped ? true : nil } == nil
    }

    /// Drops all packets, and wakes every thread that waits here.
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
