import MediaTypes
import MovieFile
import RealTime
import Synchronization

/// Two mirrored files of one movie, each with its own thread, so that neither waits for the other's disk.
///
/// The muxer's thread passes in blocks and waits until one of the two files has them. The threads of the files do the
/// rest. Calls are safe from any thread; those that block are documented as such.
final class FileMirror: Sendable {
    /// One of the two files, and the callbacks for its disk. The callbacks except `changed` run on the file's thread
    /// and may block.
    struct Place: Sendable {
        var destination: FileDestination
        /// Creates the missing directories, as far as they belong to this program.
        var prepare: @Sendable () throws(MediaError) -> Void = {}
        /// Returns the reason why the file should not be written any more, such as a disk that is full up to its
        /// reserve. Returns nil if there is no reason.
        var refusal: @Sendable () -> MediaError? = { nil }
        /// Called after the file's state has changed, on any thread; must take constant time.
        var changed: @Sendable (MirroredFileStatus) -> Void = { _ in }
    }

    /// The number of bytes that may wait for a disk. If more would wait, the data is copied from the other file later.
    static let backlogLimit = 16 << 20

    let places: [Place]
    private let configuration: MuxerConfiguration
    private let state: Locked<MirrorState>
    private let isDiscarded = Atomic(false)
    private let told = Locked<[MirroredFileStatus.Condition?]>([nil, nil])
    /// The interval between checks of a disk that is full or disconnected, in nanoseconds.
    private let patience: Int64

    /// - Parameters:
    ///   - places: the two files, the recording's own first.
    ///   - patience: the interval between checks of a disk that is full or disconnected, in nanoseconds.
    init(
        _ places: [Place], _ configuration: MuxerConfiguration, limit: Int = FileMirror.backlogLimit,
        patience: Int64 = 1_000_000_000
    ) {
        precondition(places.count == 2, "a mirrored recording has two files")
        self.places = places
        self.configuration = configuration
        self.patience = patience
        state = Locked(MirrorState(limit: limit))
    }

    // MARK: The muxer's thread

    /// Creates both files. Blocks until both exist, or one exists and the other takes too long.
    ///
    /// - Throws: `outputExists` if one of the names exists, or the reason why neither can be created. In that case,
    ///   nothing that was created is left.
    func open() throws(MediaError) {
        for index in places.indices {
            do { _ = try NamedThread("movie-copy-\(index + 1)") { self.run(index) } } catch {
                close()
                throw MediaError(errno: error.errno, "cannot start the thread of a mirrored file")
            }
        }
        let outcome =
            state.waiting(atMost: 2_000_000_000) { $0.outcomeOfOpening(isPatient: true) }
            ?? state.waiting { $0.outcomeOfOpening(isPatient: false) }
        guard case .failure(let error) = outcome else { return }
        discard()
        throw error
    }

    /// Blocks until one of the files has the block on its disk.
    ///
    /// - Throws: the reason why neither file can write the block.
    func hand(_ block: MirrorBlock) throws(MediaError) {
        state.withLock { $0.hand(block) }
        state.broadcast()
        for index in places.indices { notify(index) }
        try state.waiting { $0.outcome(of: block) }.get()
    }

    /// Finalizes one of the files. If the other file is available and does not lag much, makes it equal to the
    /// finalized file.
    ///
    /// - Returns: the size of the movie in bytes, and the index of the file that was finalized first.
    /// - Throws: the reason why neither file could be finalized; the written data remains.
    func finish(_ facts: FinishingInfo) throws(MediaError) -> (size: UInt64, index: Int) {
        state.withLock { $0.drain() }
        state.broadcast()
        var failure: MediaError?
        while true {
            let choice =
                state.waiting(atMost: 2_000_000_000) { $0.choice(isPatient: true) }
                ?? state.waiting { $0.choice(isPatient: false) }
            guard case .file(let index) = choice else { break }
            switch carryOut(.finish(facts), index) {
            case .failure(let error): failure = error
            case .success(let size):
                state.withLock { $0.order(.follow(places[index].destination.finalPath), for: 1 - index) }
                state.broadcast()
                _ = state.waiting(atMost: Self.farewell) { $0.hasFollowed(1 - index) }
                // The states are reported before the movie is reported as finished.
                for index in places.indices { notify(index) }
                return (size, index)
            }
        }
        throw failure
            ?? MediaError(
                .ioFailure, "cannot finalize \(places[0].destination.name)",
                reason: "each of the two mirrored files has parts that the other lacks, and one disk is missing",
                wayOut: "connect both disks, then run `recorder mirror repair`")
    }

    /// The maximum time, in nanoseconds, for which finishing a movie waits for its second file.
    private static let farewell: Int64 = 10_000_000_000

    private func carryOut(_ order: MirrorState.Order, _ index: Int) -> Result<UInt64, MediaError> {
        state.withLock { $0.order(order, for: index) }
        state.broadcast()
        return state.waiting { $0.result(index) }
    }

    // MARK: Any thread

    /// Ends both threads. Waits until they have closed their files, but does not wait for a disk that hangs. A thread
    /// that is making its file equal to the other one continues.
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

    /// The states of both files.
    var statuses: [MirroredFileStatus] { places.indices.map { status($0) } }

    private func status(_ index: Int) -> MirroredFileStatus {
        let (progress, result) = state.withLock { ($0.progress(index), $0.result(index)) }
        let destination = places[index].destination
        switch result {
        case .success: return MirroredFileStatus(condition: .whole, path: destination.finalPath)
        case .failure(let error):
            return MirroredFileStatus(
                condition: .lost, path: destination.name, missing: progress.missingBytes, error: error)
        case nil: break
        }
        let condition: MirroredFileStatus.Condition =
            switch progress.condition {
            case .opening: .opening
            case .writing: progress.isBehind ? .behind : .complete
            case .full: .full
            case .lost: .lost
            case .gone: .gone
            }
        return MirroredFileStatus(
            condition: condition, path: destination.name, missing: condition == .complete ? 0 : progress.missingBytes,
            error: progress.error)
    }

    private func notify(_ index: Int) {
        let status = status(index)
        // `changed` is called with the lock held, so that a state counts as reported only once it was delivered.
        told.withLock { told in
            guard told[index] != status.condition else { return }
            told[index] = status.condition
            places[index].changed(status)
        }
    }

    // MARK: The threads of the files

    private func run(_ index: Int) {
        let writer = MirroredFileWriter(places[index], configuration)
        while let work = nextWork(index) {
            if case .end = work { break }
            carryOut(work, writer, index)
            state.broadcast()
            notify(index)
        }
        writer.close()
        // The file may have been created after the movie was discarded.
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

    private func carryOut(_ work: MirrorState.Work, _ writer: MirroredFileWriter, _ index: Int) {
        do throws(MediaError) {
            switch work {
            case .open:
                try writer.open()
                state.withLock { $0.opened(index) }
            case .write(let block):
                if let refusal = writer.refusal, state.withLock({ $0.stepsAside(refusal, index) }) { return }
                try writer.write(block)
                state.withLock { $0.wrote(block, index) }
            case .bringOver(let range, let isRight):
                if let refusal = writer.refusal, state.withLock({ $0.stepsAside(refusal, index) }) { return }
                try bringOver(range, isRight: isRight, writer, index)
            case .lookAgain: try lookAgain(writer, index)
            case .finish(let facts): state.withLock { [result = writer.finish(facts)] in $0.carriedOut(result, index) }
            case .follow(let path): follow(path, writer, index)
            case .end: break
            }
        } catch {
            let isWriting = writer.isOpen
            let canBeRead = state.withLock { state in
                state.failed(error, isWriting: isWriting, index)
                return state.progress(index).canBeRead
            }
            // The file is closed so that its disk can be removed and connected again.
            if !canBeRead { writer.close() }
        }
    }

    private func bringOver(
        _ range: Range<UInt64>, isRight: Bool, _ writer: MirroredFileWriter, _ index: Int
    ) throws(MediaError) {
        // The first bytes of the recording are kept in memory, because the other file's first bytes change when that
        // file is finalized.
        let head = state.withLock { $0.head }
        let other = places[1 - index].destination.temporaryPath
        guard let conflicts = try writer.bringOver(range, from: other, head: head, isRight: isRight) else {
            return state.withLock { $0.couldNotRead(1 - index, index) }
        }
        state.withLock { $0.broughtOver(range, conflicts: conflicts, index) }
    }

    private func lookAgain(_ writer: MirroredFileWriter, _ index: Int) throws(MediaError) {
        if writer.isOpen {
            guard places[index].refusal() == nil else { return state.withLock { $0.stays(index) } }
            return state.withLock { $0.hasRoom(index) }
        }
        let head = state.withLock { $0.head }
        try writer.reopen(beginning: head)
        state.withLock { $0.reopened(index) }
    }

    private func follow(_ path: String, _ writer: MirroredFileWriter, _ index: Int) {
        let (missing, end) = state.withLock { ($0.progress(index).missing, $0.end) }
        let result = writer.follow(path, missing: missing, end: end)
        state.withLock { $0.carriedOut(result, index) }
    }
}
