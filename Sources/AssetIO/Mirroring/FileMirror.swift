import MediaTypes
import MovieFile
import RealTime
import Synchronization

/// Two copies of a movie's file, each with a thread of its own, so that neither waits for the disk of the other.
///
/// The muxer's thread hands in blocks and waits until one of the two has them; all else is between the copies. Calls are safe from
/// any thread; those that block say so.
final class FileMirror: Sendable {
    /// One of the copies, and what is known of its disk. What is called here may block, on the copy's thread.
    struct Place: Sendable {
        var destination: FileDestination
        /// Makes the directories that it needs, as far as that is ours to do.
        var prepare: @Sendable () throws(MediaError) -> Void = {}
        /// Why nothing more should be written there, such as a disk that is full up to its reserve; nil: nothing.
        var refusal: @Sendable () -> MediaError? = { nil }
        /// Learns of changes, on any thread, in constant time.
        var changed: @Sendable (CopyStatus) -> Void = { _ in }
    }

    /// Bytes that may wait for a disk. What is more is read from the other copy later.
    static let backlogLimit = 16 << 20

    let places: [Place]
    private let configuration: MuxerConfiguration
    private let state: Locked<MirrorState>
    private let isDiscarded = Atomic(false)
    private let told = Locked<[CopyStatus.Condition?]>([nil, nil])
    /// How often a disk that is full or away is looked at, in nanoseconds.
    private let patience: Int64

    /// - Parameters:
    ///   - places: two, the recording's own first.
    ///   - patience: how often a disk that is full or away is looked at, in nanoseconds.
    init(
        _ places: [Place], _ configuration: MuxerConfiguration, limit: Int = FileMirror.backlogLimit,
        patience: Int64 = 1_000_000_000
    ) {
        precondition(places.count == 2, "a mirror has two copies")
        self.places = places
        self.configuration = configuration
        self.patience = patience
        state = Locked(MirrorState(limit: limit))
    }

    // MARK: The muxer's thread

    /// Makes both files. Blocks until both are there, or one is and the other takes its time.
    ///
    /// - Throws: `outputExists` where one of the names is taken, or why neither can be made; nothing of ours is left then.
    func open() throws(MediaError) {
        for index in places.indices {
            do { _ = try NamedThread("movie-copy-\(index + 1)") { self.run(index) } } catch {
                close()
                throw MediaError(errno: error.errno, "cannot start a copy's thread")
            }
        }
        let outcome =
            state.waiting(atMost: 2_000_000_000) { $0.outcomeOfOpening(isPatient: true) }
            ?? state.waiting { $0.outcomeOfOpening(isPatient: false) }
        guard case .failure(let error) = outcome else { return }
        discard()
        throw error
    }

    /// Blocks until one of the copies has the block on its disk.
    ///
    /// - Throws: why neither will have it.
    func hand(_ block: MirrorBlock) throws(MediaError) {
        state.withLock { $0.hand(block) }
        state.broadcast()
        for index in places.indices { tell(index) }
        try state.waiting { $0.outcome(of: block) }.get()
    }

    /// Makes one of the copies whole, and the other the same, if that is there and has not much to catch up.
    ///
    /// - Returns: bytes in the movie, and which copy was made whole first.
    /// - Throws: why that did not go; what was written stays.
    func finish(_ facts: FinishingFacts) throws(MediaError) -> (size: UInt64, index: Int) {
        state.withLock { $0.drain() }
        state.broadcast()
        var failure: MediaError?
        while true {
            let choice =
                state.waiting(atMost: 2_000_000_000) { $0.choice(isPatient: true) }
                ?? state.waiting { $0.choice(isPatient: false) }
            guard case .copy(let index) = choice else { break }
            switch carryOut(.finish(facts), index) {
            case .failure(let error): failure = error
            case .success(let size):
                state.withLock { $0.order(.follow(places[index].destination.finalPath), for: 1 - index) }
                state.broadcast()
                _ = state.waiting(atMost: Self.farewell) { $0.hasFollowed(1 - index) }
                // Before anybody hears that the movie is finished.
                for index in places.indices { tell(index) }
                return (size, index)
            }
        }
        throw failure
            ?? MediaError(
                .ioFailure, "cannot make \(places[0].destination.name) whole",
                reason: "each of its two copies has parts that the other lacks, and one of the disks is away",
                wayOut: "`recorder mirror repair` makes both whole when both disks are there")
    }

    /// How long the end of a movie waits for its second copy.
    private static let farewell: Int64 = 10_000_000_000

    private func carryOut(_ order: MirrorState.Order, _ index: Int) -> Result<UInt64, MediaError> {
        state.withLock { $0.order(order, for: index) }
        state.broadcast()
        return state.waiting { $0.result(index) }
    }

    // MARK: Any thread

    /// Ends both threads, which let go of their files; waits for that, but not for a disk that hangs. A copy that is becoming the
    /// same as the other goes on.
    func close() {
        state.withLock { $0.close() }
        state.broadcast()
        _ = state.waiting(atMost: 1_000_000_000) { state in
            self.places.indices.allSatisfy { state.hasEnded($0) || state.result($0) != nil } ? () : nil
        }
    }

    func discard() {
        isDiscarded.store(true, ordering: .releasing)
        state.withLock { $0.close() }
        state.broadcast()
        for place in places { place.destination.discard() }
    }

    /// How both copies stand.
    var statuses: [CopyStatus] { places.indices.map { status($0) } }

    private func status(_ index: Int) -> CopyStatus {
        let (progress, result) = state.withLock { ($0.progress(index), $0.result(index)) }
        let destination = places[index].destination
        switch result {
        case .success: return CopyStatus(condition: .whole, path: destination.finalPath)
        case .failure(let error):
            return CopyStatus(
                condition: .lost, path: destination.name, missing: progress.missingBytes, error: error)
        case nil: break
        }
        let condition: CopyStatus.Condition =
            switch progress.condition {
            case .opening: .opening
            case .writing: progress.isBehind ? .behind : .complete
            case .full: .full
            case .lost: .lost
            case .gone: .gone
            }
        return CopyStatus(
            condition: condition, path: destination.name, missing: condition == .complete ? 0 : progress.missingBytes,
            error: progress.error)
    }

    private func tell(_ index: Int) {
        let status = status(index)
        // Under the lock, so that who finds it told knows that it was heard.
        told.withLock { told in
            guard told[index] != status.condition else { return }
            told[index] = status.condition
            places[index].changed(status)
        }
    }

    // MARK: The threads of the copies

    private func run(_ index: Int) {
        let copy = MirrorCopy(places[index], configuration)
        while let work = nextWork(index) {
            if case .end = work { break }
            carryOut(work, copy, index)
            state.broadcast()
            tell(index)
        }
        copy.close()
        // Its file may have been made after everybody gave it up.
        if isDiscarded.load(ordering: .acquiring) { places[index].destination.discard() }
        state.withLock { $0.ended(index) }
        state.broadcast()
    }

    private func nextWork(_ index: Int) -> MirrorState.Work? {
        while true {
            guard state.withLock({ $0.progress(index).isAway }) else { return state.waiting { $0.takeWork(index) } }
            if let work = state.waiting(atMost: patience, until: { $0.takeWork(index) }) { return work }
            if let work = state.withLock({ $0.takeRetry(index) }) { return work }
        }
    }

    private func carryOut(_ work: MirrorState.Work, _ copy: MirrorCopy, _ index: Int) {
        do throws(MediaError) {
            switch work {
            case .open:
                try copy.open()
                state.withLock { $0.opened(index) }
            case .write(let block):
                if let refusal = copy.refusal, state.withLock({ $0.stepsAside(refusal, index) }) { return }
                try copy.write(block)
                state.withLock { $0.wrote(block, index) }
            case .bringOver(let range, let isRight):
                if let refusal = copy.refusal, state.withLock({ $0.stepsAside(refusal, index) }) { return }
                try bringOver(range, isRight: isRight, copy, index)
            case .lookAgain: try lookAgain(copy, index)
            case .finish(let facts): state.withLock { [result = copy.finish(facts)] in $0.carriedOut(result, index) }
            case .follow(let path): follow(path, copy, index)
            case .end: break
            }
        } catch {
            let isWriting = copy.isOpen
            let canBeRead = state.withLock { state in
                state.failed(error, isWriting: isWriting, index)
                return state.progress(index).canBeRead
            }
            // So that its disk can be taken away, and comes back.
            if !canBeRead { copy.close() }
        }
    }

    private func bringOver(
        _ range: Range<UInt64>, isRight: Bool, _ copy: MirrorCopy, _ index: Int
    ) throws(MediaError) {
        // The beginning is known: of the other it changes when that is finished.
        let head = state.withLock { $0.head }
        let other = places[1 - index].destination.temporaryPath
        guard let conflicts = try copy.bringOver(range, from: other, head: head, isRight: isRight) else {
            return state.withLock { $0.couldNotRead(1 - index, index) }
        }
        state.withLock { $0.broughtOver(range, conflicts: conflicts, index) }
    }

    private func lookAgain(_ copy: MirrorCopy, _ index: Int) throws(MediaError) {
        if copy.isOpen {
            guard places[index].refusal() == nil else { return state.withLock { $0.stays(index) } }
            return state.withLock { $0.hasRoom(index) }
        }
        let head = state.withLock { $0.head }
        try copy.reopen(beginning: head)
        state.withLock { $0.reopened(index) }
    }

    private func follow(_ path: String, _ copy: MirrorCopy, _ index: Int) {
        let (missing, end) = state.withLock { ($0.progress(index).missing, $0.end) }
        let result = copy.follow(path, missing: missing, end: end)
        state.withLock { $0.carriedOut(result, index) }
    }
}
