import Foundation
import MediaTypes
import MovieFile
import RealTime

/// The implementation of `AssetWriter`: its state, its tracks and its muxer.
final class WriterCore: Sendable {
    struct Shared {
        var writer = WriterState()
        var inputs: [AssetWriterInput] = []
        var groups: [InputGroup] = []
        /// The chapters that were added before writing started.
        var chapters = ChapterList()
        var paths: [TrackPath] = []
        var gate: InterleavingGate?
        var muxer: Muxer?
        var failedTracks = 0
        /// The indices of the tracks that the file cannot store.
        var leftOut: Set<Int> = []
    }

    /// The system functions of a writer. Tests replace them with failing ones.
    struct Foundations: Sendable {
        /// Creates and opens the file at a path.
        var openFile: @Sendable (String) throws(MediaError) -> any MovieStorage = { path throws(MediaError) in
            try DiskFile(path: path, mode: .create)
        }
        /// Opens the encoder of an input, with a directory for temporary files.
        var makeEncoder: @Sendable (AssetWriterInput, URL?) throws(MediaError) -> any TrackEncoder = {
            input, directory throws(MediaError) in try input.encoderOptions(temporaryDirectory: directory).open()
        }
        /// Returns the wall clock's time of day.
        var timeOfDay: @Sendable () -> MediaTime = { TimeOfDay.now() }
    }

    let completion = Latch()
    let destination: any MovieDestination
    let fileType: FileType
    let foundations: Foundations
    let shared = Locked(Shared())
    private let events: AsyncStream<AssetWriterEvent>.Continuation
    /// A time shorter than the distance between any two frames.
    private static let instant = MediaTime(value: 1, timescale: 1_000_000)

    init(
        fileType: FileType, destination: any MovieDestination,
        events: AsyncStream<AssetWriterEvent>.Continuation, foundations: Foundations
    ) {
        self.fileType = fileType
        self.destination = destination
        self.foundations = foundations
        self.events = events
    }

    var state: WriterState { shared.withLock { $0.writer } }
    var inputs: [AssetWriterInput] { shared.withLock { $0.inputs } }
    var groups: [InputGroup] { shared.withLock { $0.groups } }
    var bytesWritten: Int64 { shared.withLock { $0.muxer }?.bytesWritten ?? 0 }

    // MARK: Session and end

    func startSession(at time: MediaTime) throws(MediaError) {
        let (start, paths, gate, muxer) = try shared.withLock { shared throws(MediaError) in
            var writer = shared.writer
            let start = try writer.startSession(at: time)
            if start == .next, let fault = secondSessionFault(shared) { throw fault }
            shared.writer = writer
            return (start, shared.paths, shared.gate, shared.muxer)
        }
        guard start != .nothing else { return }
        gate?.begin(at: time)
        // The chapters and the timecode belong to the first fragment, so they come before any sample of the client.
        if start == .first { muxer?.begin(at: time, timeOfDay: foundations.timeOfDay()) }
        for path in paths { path.open(sessionStart: time) }
    }

    /// Returns the reason why there can be only one session; nil if there can be several.
    private func secondSessionFault(_ shared: Shared) -> MediaError? {
        let action = "cannot start a second session"
        if destination.isSegmented {
            return MediaError(
                .unsupported, action, reason: "the header of a segmented movie was already delivered",
                wayOut: "write to one file, or shift the samples' timestamps")
        }
        guard shared.paths.contains(where: { $0.admission.traits.passCount > 1 }) else { return nil }
        return MediaError(
            .unsupported, action, reason: "an input encodes in several passes",
            wayOut: "encode in one pass, without performsMultiPassEncodingIfSupported")
    }

    func endSession(at time: MediaTime) throws(MediaError) {
        let paths = try shared.withLock { shared throws(MediaError) in
            try shared.writer.endSession(at: time)
            return shared.paths
        }
        for path in paths { path.endSession(at: time) }
    }

    func addChapter(_ title: String, at time: MediaTime) throws(MediaError) {
        let muxer = try shared.withLock { shared throws(MediaError) -> Muxer? in
            try shared.writer.requireRunning("cannot add a chapter")
            guard let muxer = shared.muxer else {
                _ = try shared.chapters.add(title, at: time)
                return nil
            }
            return muxer
        }
        guard let muxer else { return }
        guard muxer.tracks.chapters != nil else {
            throw MediaError(
                .invalidState, "cannot add the chapter “\(title)”",
                reason: "writing has started without a chapter track",
                wayOut: "set writesChapters, or add a first chapter, before startWriting")
        }
        try muxer.addChapter(title, at: time)
    }

    func flushSegment() throws(MediaError) {
        let action = "cannot end a segment"
        guard destination.isSegmented else {
            throw MediaError(.invalidState, action, reason: "the writer writes one file, not segments")
        }
        let (muxer, inputs) = try shared.withLock { shared throws(MediaError) in
            try shared.writer.requireRunning(action)
            guard shared.writer.sessionStart != nil else {
                throw MediaError(.invalidState, action, reason: "no session has begun")
            }
            return (shared.muxer, shared.inputs)
        }
        guard let muxer else { return }
        // Encoders may still process appended samples. The segment ends after these.
        let newest =
            inputs.indices.contains(muxer.tracks.reference)
            ? inputs[muxer.tracks.reference].path?.admission.newest : nil
        muxer.flushSegment(after: newest)
        if let newest { inputs[muxer.tracks.reference].keyframes.askAlso(at: newest + Self.instant) }
    }

    func beginFinishing() throws(MediaError) {
        let (paths, muxer, writer) = try shared.withLock { shared throws(MediaError) in
            try shared.writer.finish()
            return (shared.paths, shared.muxer, shared.writer)
        }
        for path in paths { path.markAsFinished() }
        muxer?.finish(at: writer.sessionEnd, without: writer.cuts)
    }

    func cancel() {
        guard shared.withLock({ $0.writer.cancel() }) else { return }
        stop(.over, muxer: { $0.cancel() }, path: { $0.cancel() })
        // If writing has not begun, there is no muxer. Only a waiting segment consumer has to be released.
        destination.discard()
        events.finish()
        completion.open()
    }

    /// Ends the threads of a writer that was released while it wrote. The file is not finalized, and can be repaired as
    /// after a crash. An empty file is removed.
    func abandon() {
        guard shared.withLock({ $0.writer.cancel() }) else { return }
        stop(.over, muxer: { abandon($0) }, path: { $0.cancel() })
        destination.abandon()
        events.finish()
        completion.open()
    }

    /// Ends the file's thread. A file in which nothing was recorded cannot be repaired, and it would refuse its name to
    /// later writers. Therefore it is removed.
    private func abandon(_ muxer: Muxer) {
        muxer.abandon()
        if muxer.staysEmpty { _ = destination.discardEmpty() }
    }

    private func stop(
        _ readiness: Readiness, muxer endMuxer: (Muxer) -> Void, path endPath: (TrackPath) -> Void
    ) {
        let (paths, muxer, inputs) = shared.withLock { ($0.paths, $0.muxer, $0.inputs) }
        for path in paths { endPath(path) }
        if let muxer { endMuxer(muxer) }
        // This releases the waiters of inputs that never got a path.
        for input in inputs { input.feed.end(readiness, unless: input.path) }
    }

    // MARK: Calls from the threads

    /// - Parameter sparesFinishing: true to change nothing once the writer is finishing.
    func fail(_ error: MediaError, sparesFinishing: Bool = false) {
        guard shared.withLock({ $0.writer.fail(error, sparesFinishing: sparesFinishing) }) else { return }
        let cause: DropCause = error.code == .codecFailure ? .encoder : .disk
        stop(
            .failed, muxer: { abandon($0) }, path: { $0.fail(cause, error: error, isFileLost: true) })
        destination.abandon()
        events.yield(.failed(error))
        events.finish()
        completion.open()
    }

    /// Handles the failure of a track. If the track is live, only this track ends. If the sources can wait, the writer
    /// fails, because its movie can be made again.
    func trackFailed(_ admission: SharedAdmission, _ error: MediaError) {
        let isLast = shared.withLock { shared in
            shared.failedTracks += 1
            return shared.failedTracks == shared.paths.count
        }
        events.yield(.inputFailed(admission.mediaType, error))
        if isLast || !admission.traits.isRealTime { fail(error) }
    }
}

/// The calls of the muxer, on its thread.
extension WriterCore: MuxerClient {
    private func admission(_ track: Int) -> SharedAdmission? {
        let paths = shared.withLock { $0.paths }
        return paths.indices.contains(track) ? paths[track].admission : nil
    }

    func muxerOpened() {}
    func muxerBegan() { events.yield(.began) }
    func muxerWrote(_ count: Int64, of track: Int) { admission(track)?.recordWritten(count) }

    /// Counts samples that the file cannot store. The track's error is reported immediately; `finishWriting` later
    /// fails with the same error.
    func muxerLeftOut(_ count: Int64, of index: Int, _ error: MediaError) {
        guard let admission = admission(index) else { return }
        admission.recordLeftOut(count, cause: .encoder)
        let isNews = shared.withLock { $0.leftOut.insert(index).inserted }
        if isNews { events.yield(.inputFailed(admission.mediaType, error)) }
    }

    /// Wakes the sources of tracks without an encoder, which wait for room.
    func muxerHasRoom() {
        for path in shared.withLock({ $0.paths }) where path.admission.traits.isPassthrough {
            path.admission.updateReadiness()
        }
    }

    func muxerAwaits(_ tracks: [Int]) { for track in tracks { admission(track)?.updateReadiness() } }

    /// The ledgers of live tracks, which can drop samples.
    var accounts: [MediaType: Ledger] {
        var accounts: [MediaType: Ledger] = [:]
        for admission in shared.withLock({ $0.paths }).map(\.admission)
        where admission.traits.isRealTime && (admission.mediaType == .video || admission.mediaType == .audio) {
            accounts[admission.mediaType] = (accounts[admission.mediaType] ?? Ledger()) + admission.ledger
        }
        return accounts
    }

    func muxerCompleted() {
        shared.withLock { $0.writer.complete() }
        events.yield(.completed)
        events.finish()
        completion.open()
    }

    func muxerFailed(_ error: MediaError) { fail(error) }
}
