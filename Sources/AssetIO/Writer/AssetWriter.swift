public import Foundation
public import MediaTypes
import MovieFile
import RealTime

/// Writes one movie from samples, into a file or out in segments. The model is AVFoundation's `AVAssetWriter`.
///
/// While it writes, the file stands beside its final name as `NAME.recording.EXTENSION`, in fragments that are synced as
/// they are written, and can be played. `finishWriting` turns it into an ordinary movie without moving the media, and
/// gives it its name.
///
/// All calls are safe from any thread. None but the `async` `finishWriting` and `finishWritingNow` waits; `startWriting` and
/// `cancelWriting` touch the disk.
public final class AssetWriter: Sendable {
    /// Where the movie will be; for one in segments its playlist, or `/dev/null` where the caller takes the segments.
    public let outputURL: URL
    public let fileType: FileType
    /// Every event from the beginning; for one reader. Ends when the writer has completed, failed or was cancelled.
    public let events: AsyncStream<AssetWriterEvent>

    let configurationBox = Locked(Configuration())
    let core: WriterCore
    let channel: SegmentChannel?

    /// - Parameter fileType: nil: what the name's extension says, `.mov` for a name without one.
    /// - Throws: `cannotCreate` when the directory is missing or the path is a directory, `unsupported` for a file type
    ///   that is not written, `notPermitted` when the directory cannot be written. Nothing is created.
    public convenience init(outputURL: URL, fileType: FileType? = nil) throws(MediaError) {
        try self.init(outputURL: outputURL, fileType: fileType, foundations: WriterCore.Foundations())
    }

    /// - Parameter foundations: tests put disks, encoders and clocks of their own in place.
    convenience init(
        outputURL: URL, fileType: FileType? = nil, foundations: WriterCore.Foundations
    ) throws(MediaError) {
        let path = outputURL.path
        let type = try OutputPath.fileType(fileType, for: outputURL)
        try OutputPath.check(path)
        let destination = FileDestination(
            finalPath: path, temporaryPath: OutputPath.temporary(for: outputURL).path, openFile: foundations.openFile)
        self.init(outputURL, type, destination, foundations)
    }

    init(
        _ outputURL: URL, _ fileType: FileType, _ destination: any MovieDestination, channel: SegmentChannel? = nil,
        _ foundations: WriterCore.Foundations = .init()
    ) {
        self.outputURL = outputURL
        self.fileType = fileType
        self.channel = channel
        let (events, continuation) = AsyncStream.makeStream(of: AssetWriterEvent.self)
        self.events = events
        core = WriterCore(
            fileType: fileType, destination: destination, events: continuation, foundations: foundations)
    }

    /// Where the movie is until it is whole; `outputURL` for one in segments.
    public var temporaryURL: URL {
        let path = core.destination.temporaryPath
        return path.isEmpty ? outputURL : URL(fileURLWithPath: path)
    }

    deinit { core.abandon() }

    public var status: AssetWriterStatus { core.state.status }

    /// Why the writer failed; set exactly when `status` is `failed`.
    public var error: MediaError? { core.state.error }

    public var inputs: [AssetWriterInput] { core.inputs }

    /// Whether `add` would take the input: it has no writer, this one has not started, its settings can be encoded, and the
    /// container holds the format.
    public func canAdd(_ input: AssetWriterInput) -> Bool {
        status == .unknown && input.owner == nil && ContainerFit.fault(input, in: fileType) == nil
    }

    /// - Throws: `invalidState` once writing has started, or when the input has a writer; `unsupported` for a codec that
    ///   nothing here encodes and for a format that the container does not hold; `invalidSettings` that names the setting.
    public func add(_ input: AssetWriterInput) throws(MediaError) { try core.add(input) }

    /// Creates the file and the encoders.
    ///
    /// - Throws: `outputExists`, `cannotCreate`, `invalidSettings`, …; the writer has then failed and nothing is left.
    ///   `invalidState` without inputs, and when it was called before; nothing is changed then.
    public func startWriting() throws(MediaError) { try core.start(configuration) }

    /// Begins a session. The first one says which moment of the samples' clock is time 0 of the movie. Sound before it is cut
    /// off to the sample.
    ///
    /// A session that has ended may be followed by another: that is shown right behind it, in all tracks, and what lies between
    /// them is not shown. A track of packets then begins with a key frame again. A crash leaves a movie that still has
    /// the time between them. While a session is open, a start at the same time changes nothing.
    ///
    /// - Throws: `invalidState` before `startWriting`, while a session is open that began at another time, and for a time
    ///   before the end of the last one. `unsupported` for a second session of a movie in segments, or with an input
    ///   that encodes in several passes.
    public func startSession(atSourceTime time: MediaTime) throws(MediaError) {
        try core.startSession(at: time)
    }

    /// Ends the session, and cuts the presentation, at a moment of the samples' clock. Without it the movie ends with its last
    /// sample. Inputs take no sample until another session begins.
    ///
    /// - Throws: `invalidState` without a session or with one that was ended, and for a time before its start.
    public func endSession(atSourceTime time: MediaTime) throws(MediaError) { try core.endSession(at: time) }

    /// Begins a chapter at a moment of the samples' clock; it lasts until the next one or the movie's end.
    ///
    /// Before `startWriting` in any order; while writing, with `writesChapters` set or a chapter added before, in the order
    /// of their times. The first video track refers to the chapters, or the first audio track where there is none.
    ///
    /// - Throws: `invalidState` for a movie without a chapter track and after the end, `invalidSample` for a time that does
    ///   not rise.
    public func addChapter(_ title: String, at time: MediaTime) throws(MediaError) {
        try core.addChapter(title, at: time)
    }

    /// Finishes every input, and returns once the movie is whole, synced and has its name.
    ///
    /// - Throws: the cause when it failed; what was written stays under the temporary name and can be repaired.
    ///   `invalidSample` for a track whose format nobody knew when the header was written, and which needs more than the
    ///   room that was left for it there: all others stay, to be repaired.
    ///   `invalidState` without a session, and when it was called before.
    public func finishWriting() async throws(MediaError) {
        do throws(MediaError) { try core.beginFinishing() } catch { throw await closed(error) }
        try await outcome()
    }

    /// Of a writer that has failed: when its inputs know it too, so that they take nothing more.
    private func closed(_ error: MediaError) async -> MediaError {
        if status == .failed { await core.completion.wait() }
        return error
    }

    private func outcome() async throws(MediaError) {
        await core.completion.wait()
        if let error { throw error }
    }

    /// Stops and removes what was written. Does nothing once completed, failed or finishing.
    public func cancelWriting() { core.cancel() }

    /// Fails the writer for a reason of its owner's: what it was given, or told to do, cannot be right.
    ///
    /// - Parameter removesWhatIsLeft: nothing stays for repair; for what can be made again.
    package func fail(_ error: MediaError, removingWhatIsLeft removes: Bool) {
        core.fail(error)
        if removes { removeWhatIsLeft() }
    }

    /// Removes what a writer that failed left for repair: what is made from a file can be made again.
    func removeWhatIsLeft() { core.destination.discard() }

    /// Bytes in the file so far.
    public var bytesWritten: Int64 { core.bytesWritten }
}

/// What happens in a writer that nobody asked about.
public enum AssetWriterEvent: Sendable {
    /// The first fragment is in the file and synced: from here on the recording exists.
    case began
    /// One track ended early; the others go on.
    case inputFailed(MediaType, MediaError)
    /// The writer failed; what was synced stays.
    case failed(MediaError)
    /// The movie is whole.
    case completed
}
