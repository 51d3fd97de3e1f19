import CommandInterface
import Foundation
import MediaTypes
import RealTime

/// One recording of a process: its files, its account, how it ended. Any thread may ask.
final class RecordingRun: Sendable {
    private struct File {
        var opening: RecordingFileOpening
        var started: Date
        var location: OutputLocation?
        /// The name that was tried last: tried again until it is known to be taken.
        var tried: OutputLocation?
        /// The path while it is recorded, as it was entered among the unfinished.
        var entered: String?
        /// Its owner moved it: what becomes of it is his affair.
        var isElsewhere = false
        /// On two disks.
        var mirrored: MirroredRecording?
        /// As the names were before this file asked for one.
        var namesBefore: SegmentNames?
        /// It is there, and it is ours.
        var isOpen = false
        var hasBegun = false
    }

    private struct State {
        var names: SegmentNames
        var open: [Int: File] = [:]
        /// Of the files that were begun.
        var newestNumber = 0
        /// The newest finished ones: a year of files is in the log, not in memory.
        var finished: [(number: Int, segment: RecordingStatus.Segment)] = []
        var ledgers: [MediaType: Ledger] = [:]
        var bytes: Int64 = 0
        var newest: OutputLocation?
        /// The newest name that was tried for the first file.
        var triedFirst: OutputLocation?
        var stopRequested: Int64?
        var failure: RecordingFailure?
        var hasSample = false
        var marks = 0
        var cameBack = false
        /// The file that a lost camera ended last.
        var lostFiles: Set<Int> = []
        var start: MediaTime?
        /// Directories that only this recording is the reason for.
        var made: [String] = []
        var end: MediaTime?
        var retry = FileRetry()
        /// How long the next file waits, in nanoseconds.
        var delay: Int64 = 0
        /// Failed files that hold nothing that is known to be safe: the next file removes them where they are empty.
        var failedFiles: [FailedFile] = []
        /// Its end by its duration is known.
        var isEnding = false
    }

    private struct FailedFile {
        var sink: any RecordingFileSink
        var entered: String?
        var namesBefore: SegmentNames?
    }

    /// How many files the status names.
    static let mostNamed = 100

    let startedAt: Date
    /// The monotonic clock when it was asked for.
    let begunAt: Int64
    /// Where it is to begin, by the devices' clock; nil: with all that is kept.
    let wantedStart: MediaTime?
    /// The first file holds a sample, or why there never will be one.
    let hasBegun = Once<RecordingFailure?>()
    let outcome = Once<SessionOutcome>()
    private let first: OutputLocation
    private let state: Locked<State>

    init(
        _ configuration: RecordingConfiguration, first: OutputLocation, now: Date, begunAt: Int64,
        start: MediaTime? = nil
    ) {
        wantedStart = start
        startedAt = now
        self.begunAt = begunAt
        self.first = first
        state = Locked(State(names: SegmentNames(configuration, first: first, now: now), newest: first))
    }

    // MARK: Files

    func opening(_ opening: RecordingFileOpening, started: Date) {
        state.withLock { state in
            state.open[opening.number] = File(opening: opening, started: started)
            state.newestNumber = max(state.newestNumber, opening.number)
            if state.start == nil { state.start = opening.start }
        }
    }

    /// How a file comes by its name.
    ///
    /// - Parameters:
    ///   - mirror: where its second copy goes; nil: it has none.
    ///   - enter: makes sure that a crash's rest is found.
    ///   - leave: forgets a file that held nothing.
    ///   - enterBoth: the same of a file on two disks.
    func place(
        of number: Int, mirror: MirrorPlace? = nil, enter: @escaping @Sendable (String) -> Void,
        leave: @escaping @Sendable (String) -> Void = { _ in },
        enterBoth: @escaping @Sendable (MirroredRecording) -> Void = { _ in }
    ) -> RecordingFilePlace {
        var place = RecordingFilePlace(first.path) { [self] error throws(MediaError) in
            try candidate(number, after: error)
        }
        place.prepare = { [self] location throws(MediaError) in
            let made = try location.makeDirectories()
            state.withLock { if !$0.hasSample { $0.made = made + $0.made } }
        }
        place.taken = { [self] location in
            state.withLock { state in
                if number == 1 { state.names.begin(at: location) }
                state.open[number]?.location = location
                state.open[number]?.entered = location.temporaryPath
                state.newest = location
            }
            guard let mirror else { return enter(location.temporaryPath) }
            let recording = MirroredRecording(location, mirror.location(of: location))
            state.withLock { $0.open[number]?.mirrored = recording }
            enterBoth(recording)
        }
        place.mirror = mirror
        place.mayWait = { [self] in state.withLock { $0.hasSample && $0.stopRequested == nil && !$0.isEnding } }
        place.delay = state.withLock { state in
            defer { state.delay = 0 }
            return state.delay
        }
        place.clear = { [self] in removeFailed(leave) }
        return place
    }

    /// Removes failed files that are empty, and gives their names back. Touches the disk.
    private func removeFailed(_ leave: (String) -> Void) {
        let failed = state.withLock { state in
            defer { state.failedFiles = [] }
            return state.failedFiles
        }
        for file in failed where file.sink.discardEmpty() {
            if let entered = file.entered { leave(entered) }
            state.withLock { state in
                state.retry.removed()
                // Whoever makes a file makes it exclusively: a name that is taken all the same costs an attempt.
                if let names = file.namesBefore { state.names = names }
            }
        }
    }

    // MARK: Failed files

    /// What follows a file that failed. Its own samples go to the next file, which waits as long as this says.
    func retry(after error: MediaError, of number: Int, at now: Int64) -> FileRetry.Answer {
        state.withLock { state in
            let answer = state.retry.next(after: error, at: now, hasSamples: state.open[number]?.hasBegun ?? false)
            if case .after(let delay) = answer { state.delay = delay }
            return answer
        }
    }

    /// A failed file holds nothing that is known to be safe.
    func abandon(_ number: Int, _ sink: any RecordingFileSink) {
        state.withLock { state in
            guard let file = state.open[number], file.isOpen else {
                // It never had a file.
                state.retry.removed()
                return
            }
            state.failedFiles.append(
                FailedFile(sink: sink, entered: file.entered, namesBefore: file.namesBefore))
        }
    }

    /// Where failed files are that nobody has removed.
    func takeAbandoned() -> [(sink: any RecordingFileSink, entered: String?)] {
        state.withLock { state in
            defer { state.failedFiles = [] }
            return state.failedFiles.map { ($0.sink, $0.entered) }
        }
    }

    func hasBegun(_ number: Int) -> Bool { state.withLock { $0.open[number]?.hasBegun ?? false } }
    func isOpen(_ number: Int) -> Bool { state.withLock { $0.open[number]?.isOpen ?? false } }
    /// Its owner or its duration ends it.
    var isEnding: Bool { state.withLock { $0.stopRequested != nil || $0.isEnding } }
    func noteEnding() { state.withLock { $0.isEnding = true } }

    /// The name that a file is to have, the next one each time.
    private func candidate(_ number: Int, after taken: MediaError?) throws(MediaError) -> OutputLocation {
        try state.withLock { state throws(MediaError) in
            if number == 1 {
                guard let taken else { return first }
                guard let next = (state.triedFirst ?? first).next else { throw taken }
                state.triedFirst = next
                return next
            }
            if taken == nil, let tried = state.open[number]?.tried { return tried }
            if state.cameBack { state.lostFiles = [number - 1] }
            defer { state.cameBack = false }
            if state.open[number]?.namesBefore == nil { state.open[number]?.namesBefore = state.names }
            let next = try state.names.next(
                at: state.open[number]?.started ?? Date(), keepsStem: state.cameBack || taken != nil)
            state.open[number]?.tried = next
            return next
        }
    }

    /// A file has another path than it was given.
    ///
    /// - Parameter entered: where it is until it is whole; nil: where it was.
    func renamed(_ number: Int, to path: String, entered: String? = nil) {
        state.withLock { state in
            guard let location = state.open[number]?.location else { return }
            let new = location.renamed(path)
            state.open[number]?.location = new
            if let entered {
                state.open[number]?.entered = entered
                state.open[number]?.isElsewhere = true
            }
            if state.newest == location { state.newest = new }
        }
    }

    /// The next file continues the one before it.
    func noteReturn() { state.withLock { $0.cameBack = true } }

    /// - Returns: whether it is the recording's first sample.
    func began(_ number: Int) -> Bool {
        state.withLock { state in
            state.open[number]?.hasBegun = true
            defer { state.hasSample = true }
            return !state.hasSample
        }
    }

    /// A file is whole, or lost.
    ///
    /// - Parameter isGone: it was deleted, and nothing is there that the status could name.
    /// - Returns: what the status says of it; nil for one that never had a place.
    func closed(
        _ number: Int, _ file: (any RecordingFileSink)?, isWhole: Bool, isGone: Bool = false
    ) -> RecordingStatus.Segment? {
        state.withLock { state in
            guard let facts = state.open.removeValue(forKey: number) else { return nil }
            for type in [MediaType.video, .audio] {
                state.ledgers[type] = (state.ledgers[type] ?? Ledger()) + (file?.ledger(type) ?? Ledger())
            }
            let bytes = file?.bytesWritten ?? 0
            state.bytes += bytes
            let end = file?.end
            if let end { state.end = max(state.end ?? end, end) }
            guard let location = facts.location, !isGone, isWhole || facts.hasBegun else { return nil }
            let segment = Self.segment(facts, location, bytes: bytes, end: end)
            // A file may become whole before the one in front of it.
            let place = state.finished.lastIndex { $0.number < number }.map { $0 + 1 } ?? 0
            state.finished.insert((number, segment), at: place)
            if state.finished.count > Self.mostNamed { state.finished.removeFirst() }
            return segment
        }
    }

    private static func segment(
        _ facts: File, _ location: OutputLocation, bytes: Int64, end: MediaTime?
    ) -> RecordingStatus.Segment {
        RecordingStatus.Segment(
            file: location.path, started: TimestampText.text(facts.started),
            duration: end.map { max(0, ($0 - facts.opening.start).seconds) }, bytes: bytes)
    }

    /// What the catalogue says of a file that is whole; asked for before it is closed.
    ///
    /// - Parameter hasDuration: the recording ends by itself.
    func account(_ number: Int, hasDuration: Bool) -> FinishedRecording.Account {
        state.withLock { state in
            let ending: RecordingEnding =
                // Another file follows it, which may be over by now.
                if number < state.newestNumber {
                    state.cameBack || state.lostFiles.contains(number) ? .deviceLost : .split
                } else if let failure = state.failure {
                    switch failure.error.code {
                    case .diskFull: .diskFull
                    case .deviceLost: .deviceLost
                    default: .failed
                    }
                } else {
                    state.stopRequested == nil && hasDuration ? .duration : .stopped
                }
            return .init(started: state.open[number]?.started.timeIntervalSince1970, ending: ending)
        }
    }

    var hasOpenFiles: Bool { state.withLock { !$0.open.isEmpty } }
    var hasSample: Bool { state.withLock { $0.hasSample } }
    /// A file's two copies; nil for one that is in one place.
    func mirrored(_ number: Int) -> MirroredRecording? { state.withLock { $0.open[number]?.mirrored } }
    func opened(_ number: Int) { state.withLock { $0.open[number]?.isOpen = true } }
    /// The file is there, ours, and holds nothing. What has its name otherwise is somebody else's.
    func isOpenAndEmpty(_ number: Int) -> Bool {
        state.withLock { $0.open[number].map { $0.isOpen && !$0.hasBegun } ?? false }
    }
    /// Where the file is until it is whole.
    func entered(_ number: Int) -> String? { state.withLock { $0.open[number]?.entered } }
    func isElsewhere(_ number: Int) -> Bool { state.withLock { $0.open[number]?.isElsewhere ?? false } }
    func location(_ number: Int) -> OutputLocation? { state.withLock { $0.open[number]?.location } }
    /// The newest file's place.
    var location: OutputLocation { state.withLock { $0.newest } ?? first }
    var start: MediaTime? { state.withLock { $0.start } }

    /// Chapters that its owner has put.
    var marks: Int { state.withLock { $0.marks } }
    func noteMark() { state.withLock { $0.marks += 1 } }

    /// Nothing was recorded, and nothing of it is left.
    func removeMadeDirectories() { OutputLocation.removeDirectories(state.withLock { $0.made }) }

    // MARK: The end

    /// - Returns: false when it was asked for before.
    func requestStop(at now: Int64) -> Bool {
        state.withLock { state in
            guard state.stopRequested == nil else { return false }
            state.stopRequested = now
            return true
        }
    }

    var stopRequested: Int64? { state.withLock { $0.stopRequested } }

    /// The first cause counts.
    func fail(_ failure: RecordingFailure) { state.withLock { $0.failure = $0.failure ?? failure } }
    var failure: RecordingFailure? { state.withLock { $0.failure } }

    // MARK: Figures

    /// All files, the newest last.
    ///
    /// - Parameter newest: how far the recording is.
    func segments(_ files: [Int: any RecordingFileSink], newest: MediaTime?) -> [RecordingStatus.Segment] {
        state.withLock { state in
            state.finished.map(\.segment)
                + state.open.sorted { $0.key < $1.key }.compactMap { number, facts in
                    facts.location.map {
                        Self.segment(
                            facts, $0, bytes: files[number]?.bytesWritten ?? 0, end: files[number]?.end ?? newest)
                    }
                }
        }
    }

    /// Seconds from the first file's start to the last one's end, or as far as the recording is.
    func duration(_ newest: MediaTime?) -> Double? {
        state.withLock { state in
            // With no file open it is as long as the files are.
            let reached = state.open.isEmpty ? state.end ?? newest : newest ?? state.end
            guard let start = state.start, let end = reached else { return nil }
            return max(0, (end - start).seconds)
        }
    }

    func bytes(_ files: [Int: any RecordingFileSink]) -> Int64 {
        files.values.reduce(state.withLock { $0.bytes }) { $0 + $1.bytesWritten }
    }

    /// What the files know of a track.
    func ledger(_ type: MediaType, _ files: [Int: any RecordingFileSink]) -> Ledger {
        files.values.reduce(state.withLock { $0.ledgers[type] ?? Ledger() }) { $0 + $1.ledger(type) }
    }
}
