import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime

/// The writer behind `AssetWriter`: its state, its tracks and its threads.
final class WriterCore: Sendable {
    private struct Shared {
        var writer = WriterState()
        var inputs: [AssetWriterInput] = []
        var tracks: [TrackCore] = []
        var packets: PacketQueue?
        var failedTracks = 0
        /// The file under the temporary name is ours.
        var ownsFile = false
        var bytesWritten: Int64 = 0
    }

    let completion = Latch()
    private let outputPath: String
    private let temporaryPath: String
    private let events: AsyncStream<AssetWriterEvent>.Continuation
    private let shared = Locked(Shared())
    private let openFile: OpenFile

    /// Creates the file of that path and opens it.
    typealias OpenFile = @Sendable (String) throws(MediaError) -> any MovieStorage

    init(
        outputPath: String, temporaryPath: String, events: AsyncStream<AssetWriterEvent>.Continuation,
        openFile: @escaping OpenFile
    ) {
        self.outputPath = outputPath
        self.openFile = openFile
        self.temporaryPath = temporaryPath
        self.events = events
    }

    var state: WriterState { shared.withLock { $0.writer } }
    var inputs: [AssetWriterInput] { shared.withLock { $0.inputs } }
    var bytesWritten: Int64 { shared.withLock { $0.bytesWritten } }

    func add(_ input: AssetWriterInput) throws(MediaError) {
        try shared.withLock { shared throws(MediaError) in
            try shared.writer.requireUnstarted("cannot add an input")
            guard input.attach() else {
                throw MediaError(.invalidState, "cannot add an input", reason: "it belongs to a writer already")
            }
            shared.inputs.append(input)
        }
    }

    // MARK: Starting

    func start(_ configuration: AssetWriter.Configuration) throws(MediaError) {
        let inputs = try shared.withLock { shared throws(MediaError) in
            try shared.writer.start(inputCount: shared.inputs.count)
            return shared.inputs
        }
        do throws(MediaError) {
            if !configuration.overwritesExistingFile, OutputPath.exists(outputPath) {
                throw MediaError(
                    .outputExists, "cannot record to \(outputPath)", reason: "the file exists already",
                    wayOut: "choose another name, or ask to overwrite it")
            }
            var encodings: [any TrackEncoding] = []
            for input in inputs { encodings.append(try input.makeEncoding()) }
            let file = try createFile()
            do throws(MediaError) {
                try startThreads(inputs, encodings, file, configuration)
            } catch {
                unlink(temporaryPath)
                throw error
            }
        } catch {
            fail(error)
            throw error
        }
    }

    private func createFile() throws(MediaError) -> any MovieStorage {
        do throws(MediaError) {
            let file = try openFile(temporaryPath)
            try DiskFile.synchronizeDirectory(of: temporaryPath)
            return file
        } catch {
            guard error.code == .outputExists else { throw error }
            throw MediaError(
                .outputExists, "cannot record to \(temporaryPath)", reason: "the file exists already",
                underlying: error.underlying,
                wayOut: "another recording uses it or left it behind; choose another name or move it away")
        }
    }

    private func startThreads(
        _ inputs: [AssetWriterInput], _ encodings: [any TrackEncoding], _ file: any MovieStorage,
        _ configuration: AssetWriter.Configuration
    ) throws(MediaError) {
        let reference = inputs.firstIndex { $0.mediaType == .video } ?? 0
        let policy = FragmentPolicy(
            interval: configuration.movieFragmentInterval, initialInterval: configuration.initialMovieFragmentInterval,
            reference: reference, hasFormat: encodings.map { $0.format != nil })
        let packets = PacketQueue(
            policy: policy, trackCount: inputs.count, interval: configuration.movieFragmentInterval)
        let cores = inputs.map { $0.makeCore() }
        let encoders = zip(encodings, cores).enumerated().map { index, pair in
            EncoderThread(index: index, encoding: pair.0, core: pair.1, packets: packets)
        }
        let tracks = zip(inputs, encodings).enumerated().map { index, pair in
            MovieTrack(id: UInt32(index + 1), input: pair.0, encoding: pair.1)
        }
        let isWanted = shared.withLock { shared in
            guard shared.writer.status == .writing else { return false }
            shared.ownsFile = true
            shared.tracks = cores
            shared.packets = packets
            return true
        }
        guard isWanted else { throw MediaError(.cancelled, "cannot start writing", reason: "the writer was cancelled") }
        let hasLedger = inputs.contains { $0.configuration.expectsMediaDataInRealTime }
        let thread = MovieThread(
            core: self, file: file, configuration: configuration, tracks: tracks, cores: cores, encoders: encoders,
            packets: packets, recordsLedger: hasLedger)
        try thread.start()
        for (index, encoder) in encoders.enumerated() {
            try encoder.start { error in self.trackFailed(index, error) }
        }
    }

    // MARK: Session and end

    func startSession(at time: MediaTime) throws(MediaError) {
        let tracks = try shared.withLock { shared throws(MediaError) in
            try shared.writer.startSession(at: time)
            return shared.tracks
        }
        for track in tracks { track.open(sessionStart: time) }
    }

    func endSession(at time: MediaTime) throws(MediaError) {
        try shared.withLock { shared throws(MediaError) in try shared.writer.endSession(at: time) }
    }

    func beginFinishing() throws(MediaError) {
        let (inputs, packets) = try shared.withLock { shared throws(MediaError) in
            try shared.writer.finish()
            return (shared.inputs, shared.packets)
        }
        for input in inputs { input.markAsFinished() }
        packets?.finish()
    }

    func cancel() {
        guard shared.withLock({ $0.writer.cancel() }) else { return }
        stopThreads { $0.cancel() }
        // A writer that never started owns nothing: the file of that name is another recording.
        if shared.withLock({ $0.ownsFile }) { unlink(temporaryPath) }
        events.finish()
        completion.open()
    }

    /// The writer was dropped while it wrote: the threads end, the file stays as a crash would leave it.
    func abandon() {
        guard shared.withLock({ $0.writer.cancel() }) else { return }
        stopThreads { $0.cancel() }
        events.finish()
        completion.open()
    }

    private func stopThreads(_ end: (TrackCore) -> Void) {
        let (tracks, packets) = shared.withLock { ($0.tracks, $0.packets) }
        for track in tracks { end(track) }
        packets?.stop()
    }

    // MARK: From the threads

    func fail(_ error: MediaError) {
        guard shared.withLock({ $0.writer.fail(error) }) else { return }
        let cause: DropCause = error.code == .codecFailure ? .encoder : .disk
        stopThreads { $0.close(cause, error: error, isFileLost: true) }
        events.yield(.failed(error))
        events.finish()
        completion.open()
    }

    private func trackFailed(_ index: Int, _ error: MediaError) {
        let (mediaType, isLast) = shared.withLock { shared in
            shared.failedTracks += 1
            return (shared.inputs[index].mediaType, shared.failedTracks == shared.inputs.count)
        }
        events.yield(.inputFailed(mediaType, error))
        if isLast { fail(error) }
    }

    func began() { events.yield(.began) }

    func noteFileSize(_ bytes: UInt64) { shared.withLock { $0.bytesWritten = Int64(clamping: bytes) } }

    func complete() {
        shared.withLock { $0.writer.complete() }
        events.yield(.completed)
        events.finish()
        completion.open()
    }

    var finalPath: String { outputPath }
    var recordingPath: String { temporaryPath }
}
