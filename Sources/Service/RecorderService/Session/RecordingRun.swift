import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderStorage

/// One recording of a process: its files, the accounts of its tracks, and its end. Thread-safe.
final class RecordingRun: Sendable {
    private struct File {
        var opening: RecordingFileOpening
        var started: Date
        var location: OutputLocation?
        /// The last location that was tried. It is tried again, unless another file exists there.
        var tried: OutputLocation?
        /// The path under which the file is listed as unfinished.
        var entered: String?
        /// True if the user moved the file; the recorder no longer manages it.
        var isElsewhere = false
        /// The two mirrored files; nil if the file is on one disk.
        var mirrored: MirroredRecording?
        /// The state of the naming before this file got its name. It is restored if the file is removed, so that the
        /// name is used again.
        var namesBefore: SegmentNames?
        /// True if the file exists, and this recording created it.
        var isOpen = false
        var hasBegun = false
    }

    /// The names of the files to come.
    private struct Naming {
        var names: SegmentNames
        /// The newest name that was tried for the first file.
        var triedFirst: OutputLocation?
        /// True if the next file begins after a reconnect. Its name then continues that of the previous file.
        var cameBack = false
        /// The number of the last file that ended because the camera disconnected; empty if there was none.
        var lostFiles: Set<Int> = []
    }

    /// The files that failed, and how the recording continues without them.
    private struct Failures {
        var retry = FileRetry()
        /// Delay before the next file, in nanoseconds.
        var delay: Int64 = 0
        /// Failed files without any sample that is known to be stored. Empty ones are removed before the next file is
        /// created.
        var files: [FailedFile] = []

        mutating func takeFiles() -> [FailedFile] {
            defer { files = [] }
            return files
        }
    }

    private struct FailedFile {
        var sink: any RecordingFileSink
        var entered: String?
        var namesBefore: SegmentNames?
    }

    /// The cause and the time of the recording's end.
    private struct End {
        var stopRequested: Int64?
        var failure: RecordingFailure?
        /// True if the end of the recording is known, for example because of its configured duration.
        var isReached = false

        var isNear: Bool { stopRequested != nil || isReached }
    }

    private struct State {
        var naming: Naming
        var open: [Int: File] = [:]
        var closed = ClosedFiles()
        var failures = Failures()
        var end = End()
        /// The highest number of a file that was begun.
        var newestNumber = 0
        var newest: OutputLocation?
        /// Directories that were created only for this recording.
        var made: [String] = []
        var start: MediaTime?
        var hasSample = false
        var marks = 0
    }

    let startedAt: Date
    /// The requested start, in the devices' clock; nil for the beginning of the pre-roll.
    let wantedStart: MediaTime?
    /// Set to nil when the first file has a sample, or to the failure if no file will ever have one.
    let hasBegun = Once<RecordingFailure?>()
    let outcome = Once<SessionOutcome>()
    /// The accounts of the tracks, which count every frame of the recording.
    let accounts = TrackAccounts()
    private let first: OutputLocation
    private let state: Locked<State>

    init(_ configuration: RecordingConfiguration, first: OutputLocation, now: Date, start: MediaTime? = nil) {
        wantedStart = start
        startedAt = now
        self.first = first
        state = Locked(
            State(naming: Naming(names: SegmentNames(configuration, first: first, now: now)), newest: first))
    }

    // MARK: Files

    func opening(_ opening: RecordingFileOpening, started: Date) {
        state.withLock { state in
            state.open[opening.number] = File(opening: opening, started: started)
            state.newestNumber = max(state.newestNumber, opening.number)
            if state.start == nil { state.start = opening.start }
        }
    }

    /// Returns the rules for choosing the name of a file.
    ///
    /// - Parameters:
    ///   - mirror: The directory on the second disk; nil without a mirror.
    ///   - enter: Lists the file as unfinished, so that it is found after a crash.
    ///   - leave: Removes an empty file from that list.
    ///   - enterBoth: The same as `enter` for a file on two disks.
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
                if number == 1 { state.naming.names.begin(at: location) }
                state.open[number]?.location = location
                state.open[number]?.entered = location.temporaryPath
                state.newest = location
            }
            guard let mirror else { return enter(location.temporaryPath) }
            let recording = mirror.recording(of: location)
            state.withLock { $0.open[number]?.mirrored = recording }
            enterBoth(recording)
        }
        place.mirror = mirror
        place.mayWait = { [self] in state.withLock { $0.hasSample && !$0.end.isNear } }
        place.delay = state.withLock { state in
            defer { state.failures.delay = 0 }
            return state.failures.delay
        }
        place.clear = { [self] in removeFailed(leave) }
        return place
    }

    /// Removes failed files that are empty, and makes their names available again. Accesses the disk.
    private func removeFailed(_ leave: (String) -> Void) {
        for file in state.withLock({ $0.failures.takeFiles() }) where file.sink.discardEmpty() {
            if let entered = file.entered { leave(entered) }
            state.withLock { state in
                state.failures.retry.removed()
                // Files are created exclusively (`O_EXCL`), so if the name was taken meanwhile, only one attempt fails.
                if let names = file.namesBefore { state.naming.names = names }
            }
        }
    }

    // MARK: Failed files

    /// Returns how the recording continues after a file failed. The next file stores the failed file's samples, and is
    /// created after the returned delay.
    func retry(after error: MediaError, of number: Int, at now: Int64) -> FileRetry.Answer {
        state.withLock { state in
            let hasSamples = state.open[number]?.hasBegun ?? false
            let answer = state.failures.retry.next(after: error, at: now, hasSamples: hasSamples)
            if case .after(let delay) = answer { state.failures.delay = delay }
            return answer
        }
    }

    /// Registers a failed file without any sample that is known to be stored.
    func abandon(_ number: Int, _ sink: any RecordingFileSink) {
        state.withLock { state in
            guard let file = state.open[number], file.isOpen else {
                // The file was never created.
                state.failures.retry.removed()
                return
            }
            state.failures.files.append(
                FailedFile(sink: sink, entered: file.entered, namesBefore: file.namesBefore))
        }
    }

    /// Returns the failed files that have not been removed.
    func takeAbandoned() -> [(sink: any RecordingFileSink, entered: String?)] {
        state.withLock { state in state.failures.takeFiles().map { ($0.sink, $0.entered) } }
    }

    func hasBegun(_ number: Int) -> Bool { state.withLock { $0.open[number]?.hasBegun ?? false } }
    func isOpen(_ number: Int) -> Bool { state.withLock { $0.open[number]?.isOpen ?? false } }
    /// True if the user has stopped the recording, or its end is known.
    var isEnding: Bool { state.withLock { $0.end.isNear } }
    func recordEnding() { state.withLock { $0.end.isReached = true } }

    /// Returns the next location to try for a file.
    private func candidate(_ number: Int, after taken: MediaError?) throws(MediaError) -> OutputLocation {
        try state.withLock { state throws(MediaError) in
            if number == 1 {
                guard let taken else { return first }
                guard let next = (state.naming.triedFirst ?? first).next else { throw taken }
                state.naming.triedFirst = next
                return next
            }
            if taken == nil, let tried = state.open[number]?.tried { return tried }
            if state.naming.cameBack { state.naming.lostFiles = [number - 1] }
            defer { state.naming.cameBack = false }
            if state.open[number]?.namesBefore == nil { state.open[number]?.namesBefore = state.naming.names }
            let keepsStem = state.naming.cameBack || taken != nil
            let next = try state.naming.names.next(
                at: state.open[number]?.started ?? Date(), keepsStem: keepsStem)
            state.open[number]?.tried = next
            return next
        }
    }

    /// Records that a file has another path.
    ///
    /// - Parameter entered: The path that is listed as unfinished; nil if it has not changed.
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

    /// Records that the next file begins after a reconnect. Its name then continues that of the previous file.
    func recordReconnect() { state.withLock { $0.naming.cameBack = true } }

    /// Records that a file has its first sample.
    ///
    /// - Returns: true if it is the recording's first sample.
    func began(_ number: Int) -> Bool {
        state.withLock { state in
            state.open[number]?.hasBegun = true
            defer { state.hasSample = true }
            return !state.hasSample
        }
    }

    /// Records that a file is finalized or lost.
    ///
    /// - Parameter isGone: True if the file was deleted, so that the status must not name it.
    /// - Returns: The file's facts for the status; nil for a file that never had a location.
    func closed(
        _ number: Int, _ file: (any RecordingFileSink)?, isWhole: Bool, isGone: Bool = false
    ) -> RecordingStatus.Segment? {
        accounts.settle(number)
        return state.withLock { state in
            guard let facts = state.open.removeValue(forKey: number) else { return nil }
            let (bytes, end) = state.closed.add(file)
            guard let location = facts.location, !isGone, isWhole || facts.hasBegun else { return nil }
            let segment = Self.segment(facts, location, bytes: bytes, end: end)
            state.closed.add(segment, number)
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

    /// Returns the catalogue's facts about a finalized file. Must be called before `closed`.
    ///
    /// - Parameter hasDuration: True if the recording ends at a given duration.
    func account(_ number: Int, hasDuration: Bool) -> FinishedRecording.Account {
        state.withLock { state in
            let ending: RecordingEnding =
                // Another file follows this one, and may already have ended.
                if number < state.newestNumber {
                    state.naming.cameBack || state.naming.lostFiles.contains(number) ? .deviceLost : .split
                } else if let failure = state.end.failure {
                    switch failure.error.code {
                    case .diskFull: .diskFull
                    case .deviceLost: .deviceLost
                    default: .failed
                    }
                } else {
                    state.end.stopRequested == nil && hasDuration ? .duration : .stopped
                }
            return .init(started: state.open[number]?.started.timeIntervalSince1970, ending: ending)
        }
    }

    var hasOpenFiles: Bool { state.withLock { !$0.open.isEmpty } }
    var hasSample: Bool { state.withLock { $0.hasSample } }
    /// Returns the two mirrored files of a file; nil for a file on one disk.
    func mirrored(_ number: Int) -> MirroredRecording? { state.withLock { $0.open[number]?.mirrored } }
    func opened(_ number: Int) { state.withLock { $0.open[number]?.isOpen = true } }
    /// Returns true if this recording created the file and it is empty. A file that this recording did not create may
    /// be another program's.
    func isOpenAndEmpty(_ number: Int) -> Bool {
        state.withLock { $0.open[number].map { $0.isOpen && !$0.hasBegun } ?? false }
    }
    /// Returns the path under which the file is listed as unfinished.
    func entered(_ number: Int) -> String? { state.withLock { $0.open[number]?.entered } }
    func isElsewhere(_ number: Int) -> Bool { state.withLock { $0.open[number]?.isElsewhere ?? false } }
    func location(_ number: Int) -> OutputLocation? { state.withLock { $0.open[number]?.location } }
    /// The newest file's location.
    var location: OutputLocation { state.withLock { $0.newest } ?? first }
    var start: MediaTime? { state.withLock { $0.start } }

    /// Number of chapters that the user has set.
    var marks: Int { state.withLock { $0.marks } }
    func recordMark() { state.withLock { $0.marks += 1 } }

    /// Removes the directories that were created for a recording that has no files.
    func removeMadeDirectories() { OutputLocation.removeDirectories(state.withLock { $0.made }) }

    // MARK: The end

    /// Records a request to stop.
    ///
    /// - Returns: false if a stop was requested before.
    func requestStop(at now: Int64) -> Bool {
        state.withLock { state in
            guard state.end.stopRequested == nil else { return false }
            state.end.stopRequested = now
            return true
        }
    }

    var stopRequested: Int64? { state.withLock { $0.end.stopRequested } }

    /// Records a failure; only the first one counts.
    func fail(_ failure: RecordingFailure) { state.withLock { $0.end.failure = $0.end.failure ?? failure } }
    var failure: RecordingFailure? { state.withLock { $0.end.failure } }

    // MARK: Figures

    /// Returns all files, the newest last.
    ///
    /// - Parameter newest: The newest time of the recording.
    func segments(_ files: [Int: any RecordingFileSink], newest: MediaTime?) -> [RecordingStatus.Segment] {
        state.withLock { state in
            state.closed.segments
                + state.open.sorted { $0.key < $1.key }.compactMap { number, facts in
                    facts.location.map {
                        Self.segment(
                            facts, $0, bytes: files[number]?.bytesWritten ?? 0, end: files[number]?.end ?? newest)
                    }
                }
        }
    }

    /// Returns the seconds from the first file's start to the last one's end, or to the newest time of the recording.
    func duration(_ newest: MediaTime?) -> Double? {
        state.withLock { state in
            // If no file is open, the closed files determine the duration.
            let reached = state.open.isEmpty ? state.closed.end ?? newest : newest ?? state.closed.end
            guard let start = state.start, let end = reached else { return nil }
            return max(0, (end - start).seconds)
        }
    }

    func bytes(_ files: [Int: any RecordingFileSink]) -> Int64 {
        files.values.reduce(state.withLock { $0.closed.bytes }) { $0 + $1.bytesWritten }
    }
}
