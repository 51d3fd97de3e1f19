import DequeModule
import Glibc
import MediaTypes

/// The state of one mirrored file: which data it has, which data it lacks, and which data waits for its disk. A pure
/// value.
///
/// Its condition changes from opening to writing, from writing to full and back, from writing to lost and back (all its
/// data is then doubtful), and from any condition to gone.
struct MirroredFileProgress {
    enum Condition {
        case opening
        case writing
        case full(MediaError)
        case lost(MediaError)
        case gone(MediaError)
    }

    private(set) var condition = Condition.opening
    /// The bytes of the movie that may be missing, including those that wait.
    private(set) var missing = RangeSet<UInt64>()
    /// The part of `missing` that was written before the file's disk disconnected, and may have been lost.
    private var doubtful = RangeSet<UInt64>()
    /// The ranges that are doubtful in both files and differ, so that the right content is unknown.
    private var undecided = RangeSet<UInt64>()
    private var waiting: Deque<MirrorBlock> = []
    private var isWriting = false
    /// The ranges of dropped blocks that were queued after the block that is being written.
    private var overtaken = RangeSet<UInt64>()
    private var waitingBytes = 0
    /// True if the file lacks data in addition to the waiting blocks.
    private(set) var isBehind = false
    private let limit: Int

    /// - Parameter limit: the number of bytes that may wait for the file's disk. If there are more, all waiting blocks
    ///   are dropped, and the file catches up later.
    init(limit: Int) { self.limit = limit }

    // MARK: Abilities

    var canWrite: Bool {
        if case .writing = condition { true } else { false }
    }
    /// True if the file accepts blocks, now or as soon as it is open.
    var isTaking: Bool {
        switch condition {
        case .opening, .writing: true
        case .full, .lost, .gone: false
        }
    }
    /// True if the other file's thread may read data from this file.
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
    /// True if the disk is full or disconnected, and writing may resume later by itself.
    var isAway: Bool {
        switch condition {
        case .full, .lost: true
        case .opening, .writing, .gone: false
        }
    }
    /// True if the file has all data and can be written.
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

    /// Adds again a block that was dropped together with all waiting blocks. The other file does not have this block
    /// either.
    mutating func takeAgain(_ block: MirrorBlock) { add(block) }

    private mutating func add(_ block: MirrorBlock) {
        waiting.append(block)
        waitingBytes += block.byteCount
    }

    /// True if no block waits or is being written.
    var isIdle: Bool { waiting.isEmpty && !isWriting }

    /// Returns the next block to write. The caller then calls `wrote` or `failed`.
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
        // The waiting blocks may write some of the same ranges again.
        for later in waiting { missing.formUnion(later.ranges) }
        settle()
    }

    func has(_ block: MirrorBlock) -> Bool { canBeRead && missing.isDisjoint(block.ranges) }

    /// Drops the waiting blocks because the disk is too slow or disconnected. They are copied from the other file
    /// later.
    private mutating func dropWaiting() {
        for block in waiting {
            missing.formUnion(block.ranges)
            overtaken.formUnion(block.ranges)
        }
        waiting.removeAll()
        waitingBytes = 0
        isBehind = !missing.isEmpty
    }

    // MARK: The file

    mutating func opened() { condition = .writing }

    /// Records that the file was opened again. Any of its data may be lost.
    ///
    /// - Parameter end: the end of the movie.
    mutating func reopened(end: UInt64) {
        condition = .writing
        let all = RangeSet(0..<end)
        doubtful.formUnion(all.subtracting(missing))
        missing.formUnion(all)
        undecided = RangeSet()
        isBehind = !missing.isEmpty
    }

    mutating func hasRoom() { condition = .writing }

    /// Records that the file cannot be written.
    ///
    /// - Parameter isWriting: true if the file was open.
    mutating func failed(_ error: MediaError, isWriting: Bool) {
        self.isWriting = false
        dropWaiting()
        switch (error.code, error.underlying) {
        case (.diskFull, _), (_, .errno(ENOSPC)), (_, .errno(EDQUOT)): condition = .full(error)
        // These conditions are permanent: the file may not grow, its name belongs to another file, or it was deleted.
        case (_, .errno(EFBIG)), (.outputExists, _): condition = .gone(error)
        case (_, .errno(ENOENT)) where isWriting: condition = .gone(error)
        default: condition = .lost(error)
        }
    }

    // MARK: Missing data

    /// Returns the next range to copy; nil if the other file has none of the missing data. `isRight` is false if the
    /// other file's data is doubtful.
    ///
    /// - Parameter length: the maximum number of bytes.
    func portion(from other: MirroredFileProgress, length: UInt64) -> (range: Range<UInt64>, isRight: Bool)? {
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

    /// - Parameter conflicts: the ranges where both files have doubtful data that differs.
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
