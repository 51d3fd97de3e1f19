import Foundation
import MediaTypes
import MovieFile
import RealTime

/// The writer behind `AssetWriter`: its state, its tracks and its threads.
final class WriterCore: Sendable {
    struct Shared {
        var writer = WriterState()
        var inputs: [AssetWriterInput] = []
        var groups: [InputGroup] = []
        var extras = ExtraTracks()
        var tracks: [TrackCore] = []
        var gate: InterleavingGate?
        var packets: PacketQueue?
        var failedTracks = 0
        /// Tracks that the client feeds: the writer fails with the last of them.
        var fedTracks = 0
        var bytesWritten: Int64 = 0
    }

    /// What lies beneath a writer. Tests put others in its place that fail.
    struct Foundations: Sendable {
        /// Creates the file of that path and opens it.
        var openFile: @Sendable (String) throws(MediaError) -> any MovieStorage = { path throws(MediaError) in
            try DiskFile(path: path, mode: .create)
        }
        /// Opens the encoder of an input, with a directory for temporary files.
        var makeEncoding: @Sendable (AssetWriterInput, URL?) throws(MediaError) -> any TrackEncoding = {
            input, directory throws(MediaError) in try input.makeEncoding(temporaryDirectory: directory)
        }
        /// The time of day on the wall clock.
        var timeOfDay: @Sendable () -> MediaTime = { TimeOfDay.now() }
    }

    let completion = Latch()
    let destination: any MovieDestination
    let fileType: FileType
    let foundations: Foundations
    let shared = Locked(Shared())
    private let events: AsyncStream<AssetWriterEvent>.Continuation

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
    var bytesWritten: Int64 { shared.withLock { $0.bytesWritten } }

    // MARK: Session and end

    func startSession(at time: MediaTime, timeOfDay: MediaTime?) throws(MediaError) {
        let (tracks, gate, extras) = try shared.withLock { shared throws(MediaError) in
            try shared.writer.startSession(at: time)
            shared.extras.noteSession(at: time)
            return (shared.tracks, shared.gate, shared.extras)
        }
        gate?.begin(at: time)
        for track in tracks { track.open(sessionStart: time) }
        try extras.begin(at: time, timeOfDay: { timeOfDay ?? foundations.timeOfDay() })
    }

    func endSession(at time: MediaTime) throws(MediaError) {
        try shared.withLock { shared throws(MediaError) in try shared.writer.endSession(at: time) }
    }

    func addChapter(_ title: String, at time: MediaTime) throws(MediaError) {
        typealias Orders = (input: AssetWriterInput?, opening: (title: String, time: MediaTime)?)
        let (input, opening) = try shared.withLock { shared throws(MediaError) -> Orders in
            try shared.writer.requireRunning("cannot add a chapter")
            let input = try shared.extras.addChapter(
                title, at: time, hasStarted: shared.writer.status != .unknown,
                isInSession: shared.writer.sessionStart != nil)
            return (input, input == nil ? nil : shared.extras.takeOpening(before: time))
        }
        guard let input else { return }
        if let opening { try ExtraTracks.append(opening.title, at: opening.time, to: input) }
        try ExtraTracks.append(title, at: time, to: input)
    }

    func flushSegment() throws(MediaError) {
        let action = "cannot end a segment"
        guard destination.isSegmented else {
            throw MediaError(.invalidState, action, reason: "the movie is written into one file")
        }
        let packets = try shared.withLock { shared throws(MediaError) in
            try shared.writer.requireRunning(action)
            guard shared.writer.sessionStart != nil else {
                throw MediaError(.invalidState, action, reason: "no session has begun")
            }
            return shared.packets
        }
        packets?.flushSegment()
    }

    func beginFinishing() throws(MediaError) {
        let (tracks, packets) = try shared.withLock { shared throws(MediaError) in
            try shared.writer.finish()
            return (shared.tracks, shared.packets)
        }
        for track in tracks { track.markAsFinished() }
        packets?.finish()
    }

    func cancel() {
        guard shared.withLock({ $0.writer.cancel() }) else { return }
        stopThreads(.over) { $0.cancel() }
        destination.discard()
        events.finish()
        completion.open()
    }

    /// The writer was dropped while it wrote: the threads end, the file stays as a crash would leave it.
    func abandon() {
        guard shared.withLock({ $0.writer.cancel() }) else { return }
        stopThreads(.over) { $0.cancel() }
        events.finish()
        completion.open()
    }

    private func stopThreads(_ readiness: Readiness, _ end: (TrackCore) -> Void) {
        let (tracks, packets, inputs) = shared.withLock { ($0.tracks, $0.packets, $0.inputs) }
        for track in tracks { end(track) }
        packets?.stop()
        // Those that never got a track: whoever waits for them goes on.
        for input in inputs { input.feed.end(readiness, unless: input.core) }
    }

    // MARK: From the threads

    func fail(_ error: MediaError) {
        guard shared.withLock({ $0.writer.fail(error) }) else { return }
        let cause: DropCause = error.code == .codecFailure ? .encoder : .disk
        stopThreads(.failed) { $0.close(cause, error: error, isFileLost: true) }
        events.yield(.failed(error))
        events.finish()
        completion.open()
    }

    /// A live track that fails ends alone. A movie that is made at leisure is whole or it is none.
    func trackFailed(_ track: TrackCore, _ error: MediaError) {
        let isLast = shared.withLock { shared in
            shared.failedTracks += 1
            return shared.failedTracks == shared.fedTracks
        }
        events.yield(.inputFailed(track.mediaType, error))
        if isLast || !track.traits.isRealTime { fail(error) }
    }

    /// A track has no place in the movie: said at once, and by `finishWriting`, which fails.
    func noteLate(_ track: TrackCore, _ error: MediaError) { events.yield(.inputFailed(track.mediaType, error)) }

    func began() { events.yield(.began) }

    func noteFileSize(_ bytes: UInt64) { shared.withLock { $0.bytesWritten = Int64(clamping: bytes) } }

    func complete() {
        shared.withLock { $0.writer.complete() }
        events.yield(.completed)
        events.finish()
        completion.open()
    }
}
