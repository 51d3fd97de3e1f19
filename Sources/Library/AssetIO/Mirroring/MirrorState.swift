import Glibc
import MediaTypes
import MovieFile

/// The state of both mirrored files, and the next work for each of their threads. A pure value.
///
/// New blocks are written first. Only then is missing data copied, piece by piece. At the end, one of the two files is
/// finalized like any movie, and the other is made equal to it.
struct MirrorState {
    enum Work {
        case open
        case write(MirrorBlock)
        case bringOver(Range<UInt64>, isRight: Bool)
        /// Checks whether a full or disconnected disk can be used again.
        case lookAgain
        /// Finalizes the movie.
        case finish(FinishingInfo)
        /// Makes the file equal to the other one.
        case follow(String)
        case end
    }

    enum Phase {
        case running
        /// No more blocks come.
        case draining
        case over
    }

    /// The work for a file's thread at the end.
    enum Order {
        case finish(FinishingInfo)
        case follow(String)
    }

    struct File {
        var progress: MirroredFileProgress
        var isBusy = false
        var order: Order?
        /// The result of `order`; nil until it was carried out.
        var result: Result<UInt64, MediaError>?
        var hasEnded = false
        /// True if the file's data cannot be read at the path where the file was created.
        var isUnreadable = false
    }

    private(set) var files: [File]
    private(set) var phase = Phase.running
    /// The present size of the movie in bytes.
    private(set) var end: UInt64 = 0
    /// The newest block, which at least one of the files must not drop.
    private var newest: MirrorBlock?
    /// The first bytes of the movie. They identify the file, and are changed by finalizing.
    private(set) var head: [UInt8] = []

    /// The number of bytes that are copied in one piece. It limits how long new blocks have to wait.
    static let portion: UInt64 = 4 << 20
    static let headSize = Int(MirrorRepair.headSize)

    init(limit: Int) {
        files = (0..<2).map { _ in File(progress: MirroredFileProgress(limit: limit)) }
    }

    func progress(_ index: Int) -> MirroredFileProgress { files[index].progress }
    func result(_ index: Int) -> Result<UInt64, MediaError>? { files[index].result }
    func hasEnded(_ index: Int) -> Bool { files[index].hasEnded }

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
        for index in files.indices { files[index].progress.take(block) }
    }

    /// Returns success once a block is on one of the disks, and a failure if it never will be; nil while that is
    /// unknown.
    func outcome(of block: MirrorBlock) -> Result<Void, MediaError>? {
        if phase == .over { return .success(()) }
        if files.contains(where: { $0.progress.has(block) }) { return .success(()) }
        guard !files.contains(where: { $0.progress.isTaking }) else { return nil }
        return .failure(failure)
    }

    /// Returns success if there is a file to write to, a failure if there is none; nil while that is unknown.
    ///
    /// - Parameter isPatient: true to wait for a file that takes long to open.
    func outcomeOfOpening(isPatient: Bool) -> Result<Void, MediaError>? {
        let taken = files.compactMap(\.progress.error).first { $0.code == .outputExists }
        if let taken { return .failure(taken) }
        if files.allSatisfy({ $0.progress.error != nil }) { return .failure(openingFailure) }
        let opening = files.filter { $0.progress.isTaking && !$0.progress.canWrite }.count
        if opening == 0 || !isPatient && opening < files.count { return .success(()) }
        return nil
    }

    /// The reason why neither file can be written. It is the error of the disk that is more likely to work again,
    /// because the error decides how long the caller retries.
    ///
    /// The error of a missing file is used last. It would mean that the recording was deleted, although the other file
    /// has its data.
    private var failure: MediaError {
        let errors = files.compactMap(\.progress.error)
        let ofExisting = errors.filter { $0.underlying != .errno(ENOENT) }
        return ofExisting.first(where: \.isOfAwayDisk) ?? ofExisting.first(where: \.isContinuable) ?? ofExisting.first
            ?? errors.first
            ?? MediaError(.invalidState, "cannot write the movie", reason: "both mirrored files were closed")
    }

    /// The reason why neither file can be created. Nothing has been written yet, so a missing directory means a disk
    /// that may be connected again.
    private var openingFailure: MediaError {
        files.compactMap(\.progress.error).first(where: \.isOfAwayDisk) ?? failure
    }

    // MARK: The end

    mutating func drain() { if phase == .running { phase = .draining } }
    mutating func close() { phase = .over }

    enum Choice: Equatable {
        case file(Int)
        /// Neither file is complete.
        case none
    }

    /// Returns the file to finalize; nil while that is unknown.
    ///
    /// - Parameter isPatient: true to wait for the first file as long as it makes progress.
    func choice(isPatient: Bool) -> Choice? {
        if isReady(0) { return .file(0) }
        if isReady(1), !isPatient || isSettled(0) { return .file(1) }
        return isSettled(0) && isSettled(1) && !isReady(1) ? Choice.none : nil
    }

    private func isReady(_ index: Int) -> Bool {
        let file = files[index]
        if case .failure = file.result { return false }
        return file.progress.isComplete && !file.isBusy && !file.hasEnded
    }

    /// Returns true if the file's state does not change any more on its own.
    private func isSettled(_ index: Int) -> Bool {
        let file = files[index]
        guard !file.isBusy, !file.hasEnded else { return file.hasEnded }
        if file.progress.isComplete { return true }
        return !file.progress.isTaking
            || file.progress.canWrite && nextPortion(index) == nil
    }

    mutating func order(_ order: Order, for index: Int) {
        files[index].order = order
        files[index].result = nil
    }

    /// Returns true if a file was made equal to the other one, false if that failed; nil while that is unknown.
    func hasFollowed(_ index: Int) -> Bool? {
        let file = files[index]
        if let result = file.result { return (try? result.get()) != nil }
        return file.hasEnded || !file.isBusy && !file.progress.isTaking ? false : nil
    }

    // MARK: The threads of the files

    /// Returns the next work for a file's thread; nil if there is none yet.
    mutating func takeWork(_ index: Int) -> Work? {
        guard let work = work(index) else { return nil }
        files[index].isBusy = true
        return work
    }

    private mutating func work(_ index: Int) -> Work? {
        let file = files[index]
        guard phase != .over || file.order != nil && file.result == nil else { return .end }
        if file.result != nil { return .end }
        if case .opening = file.progress.condition { return .open }
        if let block = nextBlock(index) { return .write(block) }
        switch file.order {
        case .finish(let facts): return .finish(facts)
        // A file whose disk is disconnected is finalized later.
        case .follow(let path): return file.progress.canWrite ? .follow(path) : .end
        case nil: return nextPortion(index).map { .bringOver($0.range, isRight: $0.isRight) }
        }
    }

    private mutating func nextBlock(_ index: Int) -> MirrorBlock? {
        if let block = files[index].progress.takeNext() { return block }
        // If the other file's disk hangs, the newest block is not on that disk, but in memory at best. If this file has
        // dropped the block, it takes the block again.
        guard let newest, files[index].progress.canWrite, !files.contains(where: { $0.progress.has(newest) }) else {
            return nil
        }
        files[index].progress.takeAgain(newest)
        return files[index].progress.takeNext()
    }

    private func nextPortion(_ index: Int) -> (range: Range<UInt64>, isRight: Bool)? {
        let other = files[1 - index]
        // A file that is being finalized changes, so it is not read.
        if case .finish = other.order { return nil }
        guard !other.isUnreadable else { return nil }
        return files[index].progress.portion(from: other.progress, length: Self.portion)
    }

    /// Returns work for a file whose disk is full or disconnected.
    mutating func takeRetry(_ index: Int) -> Work? {
        guard phase == .running, files[index].progress.isAway else { return nil }
        files[index].isBusy = true
        return .lookAgain
    }

    mutating func opened(_ index: Int) { change(index) { $0.opened() } }
    mutating func reopened(_ index: Int) {
        let end = end
        files[index].isUnreadable = false
        change(index) { $0.reopened(end: end) }
    }
    /// Stops writing a file whose disk is full up to its reserve, if the other file can be written. Only the other file
    /// is written from then on.
    ///
    /// - Returns: true if this file is not written any more, until its disk has room.
    mutating func stepsAside(_ error: MediaError, _ index: Int) -> Bool {
        guard phase == .running, files[1 - index].progress.canWrite else { return false }
        failed(error, isWriting: true, index)
        return true
    }
    mutating func couldNotRead(_ other: Int, _ index: Int) {
        files[other].isUnreadable = true
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
        files[index].isBusy = false
        files[index].result = result
    }
    mutating func ended(_ index: Int) {
        files[index].isBusy = false
        files[index].hasEnded = true
    }

    private mutating func change(_ index: Int, _ body: (inout MirroredFileProgress) -> Void) {
        body(&files[index].progress)
        files[index].isBusy = false
    }
}
