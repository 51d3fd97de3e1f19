import MediaTypes
import MovieFile

/// Both copies of a movie, and what each of their threads has to do next. A pure value.
///
/// What comes is written first; only then what a copy lacks is brought over, piece by piece. One of the two is finished as any
/// movie is, and the other becomes the same.
struct MirrorState {
    enum Work {
        case open
        case write(MirrorBlock)
        case bringOver(Range<UInt64>, isRight: Bool)
        /// A disk that was full or away is looked at again.
        case lookAgain
        /// Makes the movie whole.
        case finish(FinishingFacts)
        /// Becomes what the other is.
        case follow(String)
        case end
    }

    enum Phase {
        case running
        /// Nothing more comes.
        case draining
        case over
    }

    /// What the thread of a copy is told at the end.
    enum Order {
        case finish(FinishingFacts)
        case follow(String)
    }

    struct Copy {
        var progress: CopyProgress
        var isBusy = false
        var order: Order?
        /// What became of the order.
        var result: Result<UInt64, MediaError>?
        var hasEnded = false
        /// What it has cannot be read at the path where it was made.
        var isUnreadable = false
    }

    private(set) var copies: [Copy]
    private(set) var phase = Phase.running
    /// Bytes of the movie so far.
    private(set) var end: UInt64 = 0
    /// The newest block, which must not be dropped by both.
    private var newest: MirrorBlock?
    /// Its first bytes, by which a file is known again, and which finishing changes.
    private(set) var head: [UInt8] = []

    /// What is brought over at once, so that what comes waits no longer than that takes.
    static let stretch: UInt64 = 4 << 20
    static let headSize = Int(MirrorRepair.headSize)

    init(limit: Int) {
        copies = (0..<2).map { _ in Copy(progress: CopyProgress(limit: limit)) }
    }

    func progress(_ index: Int) -> CopyProgress { copies[index].progress }
    func result(_ index: Int) -> Result<UInt64, MediaError>? { copies[index].result }
    func hasEnded(_ index: Int) -> Bool { copies[index].hasEnded }

    // MARK: The muxer's thread

    mutating func hand(_ block: MirrorBlock) {
        end = max(end, block.end)
        newest = block
        for piece in block.pieces where piece.offset < UInt64(Self.headSize) {
            let start = Int(piece.offset)
            let bytes = piece.bytes.prefix(Self.headSize - start)
            if head.count < start + bytes.count {
                head += [UInt8](repeating: 0, count: start + bytes.count - head.count)
            }
            head.replaceSubrange(start..<start + bytes.count, with: bytes)
        }
        for index in copies.indices { copies[index].progress.take(block) }
    }

    /// Whether a block is on one of the disks; nil while that is not known.
    ///
    /// - Returns: why it never will be, of the first copy.
    func outcome(of block: MirrorBlock) -> Result<Void, MediaError>? {
        if phase == .over { return .success(()) }
        if copies.contains(where: { $0.progress.has(block) }) { return .success(()) }
        guard !copies.contains(where: { $0.progress.isTaking }) else { return nil }
        return .failure(failure)
    }

    /// Whether there is a file to write to; nil while that is not known.
    ///
    /// - Parameter isPatient: a copy that takes its time is waited for.
    func outcomeOfOpening(isPatient: Bool) -> Result<Void, MediaError>? {
        let taken = copies.compactMap(\.progress.error).first { $0.code == .outputExists }
        if let taken { return .failure(taken) }
        if copies.allSatisfy({ $0.progress.error != nil }) { return .failure(failure) }
        let opening = copies.filter { $0.progress.isTaking && !$0.progress.canWrite }.count
        if opening == 0 || !isPatient && opening < copies.count { return .success(()) }
        return nil
    }

    /// Why neither copy can be written.
    private var failure: MediaError {
        copies.lazy.compactMap(\.progress.error).first
            ?? MediaError(.invalidState, "cannot write the movie", reason: "both copies were closed")
    }

    // MARK: The end

    mutating func drain() { if phase == .running { phase = .draining } }
    mutating func close() { phase = .over }

    enum Choice: Equatable {
        case copy(Int)
        /// Neither has all of it.
        case none
    }

    /// Which copy is to be finished; nil while that is not known.
    ///
    /// - Parameter isPatient: the first one is waited for as long as it goes on.
    func choice(isPatient: Bool) -> Choice? {
        if isReady(0) { return .copy(0) }
        if isReady(1), !isPatient || isSettled(0) { return .copy(1) }
        return isSettled(0) && isSettled(1) && !isReady(1) ? Choice.none : nil
    }

    private func isReady(_ index: Int) -> Bool {
        let copy = copies[index]
        if case .failure = copy.result { return false }
        return copy.progress.isComplete && !copy.isBusy && !copy.hasEnded
    }

    /// Nothing more happens to it by itself.
    private func isSettled(_ index: Int) -> Bool {
        let copy = copies[index]
        guard !copy.isBusy, !copy.hasEnded else { return copy.hasEnded }
        if copy.progress.isComplete { return true }
        return !copy.progress.isTaking
            || copy.progress.canWrite && nextStretch(index) == nil
    }

    mutating func order(_ order: Order, for index: Int) {
        copies[index].order = order
        copies[index].result = nil
    }

    /// Whether a copy follows the other, and how that ends; nil while that is not known.
    func hasFollowed(_ index: Int) -> Bool? {
        let copy = copies[index]
        if let result = copy.result { return (try? result.get()) != nil }
        return copy.hasEnded || !copy.isBusy && !copy.progress.isTaking ? false : nil
    }

    // MARK: The threads of the copies

    /// What a copy's thread has to do; nil: nothing for now.
    mutating func takeWork(_ index: Int) -> Work? {
        guard let work = work(index) else { return nil }
        copies[index].isBusy = true
        return work
    }

    private mutating func work(_ index: Int) -> Work? {
        let copy = copies[index]
        guard phase != .over || copy.order != nil && copy.result == nil else { return .end }
        if copy.result != nil { return .end }
        if case .opening = copy.progress.condition { return .open }
        if let block = nextBlock(index) { return .write(block) }
        switch copy.order {
        case .finish(let facts): return .finish(facts)
        // What is away is made whole another time.
        case .follow(let path): return copy.progress.canWrite ? .follow(path) : .end
        case nil: return nextStretch(index).map { .bringOver($0.range, isRight: $0.isRight) }
        }
    }

    private mutating func nextBlock(_ index: Int) -> MirrorBlock? {
        if let block = copies[index].progress.takeNext() { return block }
        // The other one has it in its memory at most, in front of a disk that stands still.
        guard let newest, copies[index].progress.canWrite, !copies.contains(where: { $0.progress.has(newest) }) else {
            return nil
        }
        copies[index].progress.takeAgain(newest)
        return copies[index].progress.takeNext()
    }

    private func nextStretch(_ index: Int) -> (range: Range<UInt64>, isRight: Bool)? {
        let other = copies[1 - index]
        // From one that is being finished nothing is read: it changes.
        if case .finish = other.order { return nil }
        guard !other.isUnreadable else { return nil }
        return copies[index].progress.stretch(from: other.progress, length: Self.stretch)
    }

    /// Work for a copy whose disk is full or away.
    mutating func takeRetry(_ index: Int) -> Work? {
        guard phase == .running, copies[index].progress.isAway else { return nil }
        copies[index].isBusy = true
        return .lookAgain
    }

    mutating func opened(_ index: Int) { change(index) { $0.opened() } }
    mutating func reopened(_ index: Int) {
        let end = end
        copies[index].isUnreadable = false
        change(index) { $0.reopened(end: end) }
    }
    /// A copy whose disk is full up to its reserve leaves the rest of it to the other one, if that can be written.
    ///
    /// - Returns: whether it does.
    mutating func stepsAside(_ error: MediaError, _ index: Int) -> Bool {
        guard phase == .running, copies[1 - index].progress.canWrite else { return false }
        failed(error, isWriting: true, index)
        return true
    }
    mutating func couldNotRead(_ other: Int, _ index: Int) {
        copies[other].isUnreadable = true
        stays(index)
    }
    mutating func hasRoom(_ index: Int) { change(index) { $0.hasRoom() } }
    mutating func stays(_ index: Int) { change(index) { _ in } }
    mutating func wrote(_ block: MirrorBlock, _ index: Int) { change(index) { $0.wrote(block) } }
    mutating func broughtOver(_ range: Range<UInt64>, conflicts: RangeSet<UInt64>, _ index: Int) {
        change(index) { $0.broughtOver(range, conflicts: conflicts) }
    }
    mutating func failed(_ error: MediaError, isWriting: Bool, _ index: Int) {
        change(index) { $0.failed(error, isWriting: isWriting) }
    }
    mutating func carriedOut(_ result: Result<UInt64, MediaError>, _ index: Int) {
        copies[index].isBusy = false
        copies[index].result = result
    }
    mutating func ended(_ index: Int) {
        copies[index].isBusy = false
        copies[index].hasEnded = true
    }

    private mutating func change(_ index: Int, _ body: (inout CopyProgress) -> Void) {
        body(&copies[index].progress)
        copies[index].isBusy = false
    }
}
