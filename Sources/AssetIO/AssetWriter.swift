public import Foundation
public import MediaTypes
import MovieFile
import RealTime

/// Writes one movie file from samples.
///
/// While it writes, the file stands beside its final name as `NAME.recording.EXTENSION`, in fragments that are synced as
/// they are written, and can be played. `finishWriting` turns it into an ordinary movie without moving the media, and
/// gives it its name.
///
/// All calls are safe from any thread. None but `finishWriting` waits; `startWriting` and `cancelWriting` touch the disk.
public final class AssetWriter: Sendable {
    /// What can be set before writing starts.
    public struct Configuration: Sendable, Hashable {
        /// Ticks per second of movie-level durations.
        public var movieTimeScale: Int32 = 1_000_000
        /// The longest stretch that one fragment holds: what a crash can cost.
        public var movieFragmentInterval = MediaTime(value: 1, timescale: 1)
        /// The same for the first fragment; zero: the file begins to exist as soon as possible.
        public var initialMovieFragmentInterval = MediaTime.zero
        /// Replace a file that has the final name, in one step, at the end. Otherwise `startWriting` fails.
        public var overwritesExistingFile = false
        /// Puts the header before the media, so that a player can begin while the file is still being downloaded. The media
        /// is copied once at the end, and the disk must hold both for that moment.
        public var shouldOptimizeForNetworkUse = false
        /// Where files go that are needed only while writing: statistics of multi-pass encoding, and with
        /// `shouldOptimizeForNetworkUse` the recording before it is put in order. nil: beside the output, and the system's
        /// directory for the statistics.
        public var directoryForTemporaryFiles: URL?
        /// Facts about the movie.
        public var metadata: [MetadataItem] = []
        /// Seconds since 1970, for the header.
        public var creationDate = Date()

        public init() {}
    }

    /// Where the movie will be.
    public let outputURL: URL
    public let fileType: FileType
    /// Where it is until then.
    public let temporaryURL: URL
    /// Every event from the beginning; for one reader. Ends when the writer has completed, failed or was cancelled.
    public let events: AsyncStream<AssetWriterEvent>

    private let configurationBox = Locked(Configuration())
    private let core: WriterCore

    /// - Throws: `cannotCreate` when the directory is missing or the path is a directory, `unsupported` for a file type
    ///   that this build does not write, `notPermitted` when the directory cannot be written.
    public convenience init(outputURL: URL, fileType: FileType = .mov) throws(MediaError) {
        try self.init(outputURL: outputURL, fileType: fileType) { path throws(MediaError) in
            try DiskFile(path: path, mode: .create)
        }
    }

    /// - Parameter openFile: creates the file; tests put disks in its place that fill up.
    init(outputURL: URL, fileType: FileType = .mov, openFile: @escaping WriterCore.OpenFile) throws(MediaError) {
        guard fileType == .mov else {
            throw MediaError(
                .unsupported, "cannot write a .\(fileType.rawValue) file", reason: "this build writes .mov")
        }
        let path = outputURL.path
        try OutputPath.check(path)
        self.outputURL = outputURL
        self.fileType = fileType
        temporaryURL = OutputPath.temporary(for: outputURL)
        let (events, continuation) = AsyncStream.makeStream(of: AssetWriterEvent.self)
        self.events = events
        core = WriterCore(outputPath: path, temporaryPath: temporaryURL.path, events: continuation, openFile: openFile)
    }

    deinit { core.abandon() }

    public var status: AssetWriterStatus { core.state.status }

    /// Why the writer failed; set exactly when `status` is `failed`.
    public var error: MediaError? { core.state.error }

    public var configuration: Configuration { configurationBox.withLock { $0 } }

    /// Changes the set-up.
    ///
    /// - Throws: `invalidState` once writing has started, `invalidSettings` for a time scale or interval that is not
    ///   positive.
    public func configure(_ change: (inout Configuration) -> Void) throws(MediaError) {
        try core.state.requireUnstarted("cannot configure the writer")
        var changed = configuration
        change(&changed)
        guard changed.movieTimeScale > 0, changed.movieFragmentInterval > .zero,
            changed.movieFragmentInterval.isNumeric, changed.initialMovieFragmentInterval.isNumeric
        else {
            throw MediaError(
                .invalidSettings, "cannot configure the writer",
                reason: "time scale and fragment interval must be positive")
        }
        configurationBox.withLock { $0 = changed }
    }

    public var inputs: [AssetWriterInput] { core.inputs }

    /// Whether `add` would take the input: it has no writer, and this one has not started.
    public func canAdd(_ input: AssetWriterInput) -> Bool { status == .unknown && !input.isAttached }

    /// - Throws: `invalidState` once writing has started, or when the input has a writer.
    public func add(_ input: AssetWriterInput) throws(MediaError) { try core.add(input) }

    /// Creates the file and the encoders.
    ///
    /// - Throws: `outputExists`, `cannotCreate`, `invalidSettings`, …; the writer has then failed and nothing is left.
    public func startWriting() throws(MediaError) { try core.start(configuration) }

    /// Says which moment of the samples' clock is time 0 of the movie. Sound before it is cut off to the sample.
    ///
    /// - Throws: `invalidState` before `startWriting` and for a second session.
    public func startSession(atSourceTime time: MediaTime) throws(MediaError) { try core.startSession(at: time) }

    /// Cuts the presentation at a moment of the samples' clock. Without it the movie ends with its last sample.
    public func endSession(atSourceTime time: MediaTime) throws(MediaError) { try core.endSession(at: time) }

    /// Finishes every input, and returns once the movie is whole, synced and has its name.
    ///
    /// - Throws: the cause when it failed; what was written stays under the temporary name and can be repaired.
    public func finishWriting() async throws(MediaError) {
        try core.beginFinishing()
        await core.completion.wait()
        if let error { throw error }
    }

    /// Stops and removes what was written. Does nothing once completed, failed or finishing.
    public func cancelWriting() { core.cancel() }

    /// Bytes in the file so far.
    public var bytesWritten: Int64 { core.bytesWritten }
}
