import DequeModule
import Glibc
import MediaTypes

/// What one copy of a movie has, what it lacks, and what waits for its disk. A pure value.
///
/// It stands in one of these, and goes: opening → writing; writing → full → writing; writing → lost → writing, with all that
/// it had in doubt; from any to gone.
struct CopyProgress {
    enum Condition {
        case opening
        case writing
        case full(MediaError)
        case lost(MediaError)
        case gone(MediaError)
    }

    private(set) var condition = Condition.opening
    /// Bytes of the movie that are not surely there: those that wait among them.
    private(set) var missing = RangeSet<UInt64>()
    /// The part of `missing` that was there once, before its disk was away.
    private var doubtful = RangeSet<UInt64>()
    /// What both copies hold in doubt and differ in: neither can say which is right.
    private var undecided = RangeSet<UInt64>()
    private var waiting: Deque<MirrorBlock> = []
    private var isWriting = false
    /// What was to be written behind the block that is being written, and was dropped.
    private var overtaken = RangeSet<UInt64>()
    private var waitingBytes = 0
    /// Lacks more than what waits.
    private(set) var isBehind = false
    private let limit: Int

    /// - Parameter limit: bytes that may wait for its disk. With more than that it takes none of them, and catches up later.
    init(limit: Int) { self.limit = limit }

    // MARK: What it can do

    var canWrite: Bool {
        if case .writing = condition { true } else { false }
    }
    /// Takes what comes, now or as soon as its file is there.
    var isTaking: Bool {
        switch condition {
        case .opening, .writing: true
        case .full, .lost, .gone: false
        }
    }
    /// The other one may read what is surely there.
    var canBeRead: Bool {
        switch condition {
        case .writing, .full: true
        case .opening, .lost, .gone: false
        }
    }
    var error: MediaError? {
        switch condition {
        case .opening, .writing: nil
        case .full(let error), .lost(let error), .gone(let error): error
        }
    }
    /// May go on by itself later.
    var isAway: Bool {
        switch condition {
        case .full, .lost: true
        case .opening, .writing, .gone: false
        }
    }
    /// It has all there is.
    var isComplete: Bool { canWrite && missing.isEmpty }

    // MARK: Blocks

    mutating func take(_ block: MirrorBlock) {
        missing.formUnion(block.ranges)
        doubtful.subtract(block.ranges)
        guard isTaking, waiting.isEmpty || waitingBytes + block.byteCount <= limit else {
            overtaken.formUnion(block.ranges)
            return dropWaiting()
        }
        add(block)
    }

    /// Takes a block after all that it has dropped: nobody else has it.
    mutating func takeAgain(_ block: MirrorBlock) { add(block) }

    private mutating func add(_ block: MirrorBlock) {
        waiting.append(block)
        waitingBytes += block.byteCount
    }

    /// Nothing is to be written, or being written.
    var isIdle: Bool { waiting.isEmpty && !isWriting }

    /// The block that is to be written next; `wrote` or `failed` follows.
    mutating func takeNext() -> MirrorBlock? {
        guard canWrite, let block = waiting.popFirst() else { return nil }
        waitingBytes -= block.byteCount
        isWriting = true
        overtaken = RangeSet()
        return block
    }

    mutating func wrote(_ block: MirrorBlock) {
        isWriting = false
        missing.subtract(block.ranges.subtracting(overtaken))
        // Those behind it may write some of it again.
        for later in waiting { missing.formUnion(later.ranges) }
        settle()
    }

    func has(_ block: MirrorBlock) -> Bool { canBeRead && missing.isDisjoint(block.ranges) }

    /// The disk is too slow, or away: what waits is brought over later.
    private mutating func dropWaiting() {
        for block in waiting {
            missing.formUnion(block.ranges)
            overtaken.formUnion(block.ranges)
        }
        waiting.removeAll()
        waitingBytes = 0
        isBehind = !missing.isEmpty
    }

    // MARK: Its file

    mutating func opened() { condition = .writing }

    /// It was away: nobody knows what is left of what it had.
    ///
    /// - Parameter end: of the movie.
    mutating func reopened(end: UInt64) {
        condition = .writing
        let all = RangeSet(0..<end)
        doubtful.formUnion(all.subtracting(missing))
        missing.formUnion(all)
        undecided = RangeSet()
        isBehind = !missing.isEmpty
    }

    mutating func hasRoom() { condition = .writing }

    /// - Parameter isWriting: its file was open.
    mutating func failed(_ error: MediaError, isWriting: Bool) {
        self.isWriting = false
        dropWaiting()
        switch (error.code, error.underlying) {
        case (.diskFull, _), (_, .errno(ENOSPC)), (_, .errno(EDQUOT)): condition = .full(error)
        // It may not grow, its name is somebody else's, or it was deleted: that does not pass.
        case (_, .errno(EFBIG)), (.outputExists, _): condition = .gone(error)
        case (_, .errno(ENOENT)) where isWriting: condition = .gone(error)
        default: condition = .lost(error)
        }
    }

    // MARK: What it lacks

    /// What is to be brought over next; nil where the other has nothing of it.
    ///
    /// - Parameter length: bytes at most.
    func stretch(from other: CopyProgress, length: UInt64) -> (range: Range<UInt64>, isRight: Bool)? {
        guard canWrite, isIdle, isBehind, other.canBeRead else { return nil }
        for (candidates, isRight) in [
            (missing.subtracting(other.missing), true),
            (missing.intersection(other.doubtful).subtracting(undecided), false),
        ] {
            guard let first = candidates.ranges.first else { continue }
            return (first.lowerBound..<min(first.upperBound, first.lowerBound + length), isRight)
        }
        return nil
    }

    /// - Parameter conflicts: where both hold something in doubt, and differ.
    mutating func broughtOver(_ range: Range<UInt64>, conflicts: RangeSet<UInt64>) {
        missing.remove(contentsOf: range)
        doubtful.remove(contentsOf: range)
        missing.formUnion(conflicts)
        undecided.formUnion(conflicts)
        settle()
    }

    private mutating func settle() { if missing.isEmpty { isBehind = false } }

    var missingBytes: UInt64 { missing.ranges.reduce(0) { $0 + UInt64($1.count) } }
}
