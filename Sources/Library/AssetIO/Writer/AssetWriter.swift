public import Foundation
public import MediaTypes
import MovieFile
import RealTime

/// Writes one movie from samples, into a file or into segments. Modeled on AVFoundation's `AVAssetWriter`.
///
/// During writing, the file is `NAME.recording.EXTENSION` in the directory of its final name. It consists of fragments
/// that are synced as they are written, and can be played. `finishWriting` makes it an ordinary movie without moving
/// the media, and renames it to its final name.
///
/// All calls are safe from any thread. Only the `async` `finishWriting` and `finishWritingNow` wait; `startWriting` and
/// `cancelWriting` access the disk.
public final class AssetWriter: Sendable {
    /// The URL of the finished movie. For a movie in segments, the URL of its playlist, or `/dev/null` if the caller
    /// receives the segments.
    public let outputURL: URL
    public let fileType: FileType
    /// All events from the beginning. Only one reader may iterate over them. The sequence ends when the writer has
    /// completed, failed or was cancelled.
    public let events: AsyncStream<AssetWriterEvent>

    let configurationBox = Locked(Configuration())
    let core: WriterCore
    let channel: SegmentChannel?

    /// Creates a writer for a file.
    ///
    /// - Parameter fileType: the container. If nil, the file extension decides, or `.mov` is used for a name without
    ///   extension.
    /// - Throws: `cannotCreate` if the directory is missing or the path is a directory, `unsupported` for a file type
    ///   that cannot be written, `notPermitted` if the directory cannot be written. Nothing is created.
    public convenience init(outputURL: URL, fileType: FileType? = nil) throws(MediaError) {
        try self.init(outputURL: outputURL, fileType: fileType, foundations: WriterCore.Foundations())
    }

    /// - Parameter foundations: the disk, encoder and clock functions, which tests replace.
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

    /// The URL of the movie until it is finalized; `outputURL` for a movie in segments.
    public var temporaryURL: URL {
        let path = core.destination.temporaryPath
        return path.isEmpty ? outputURL : URL(fileURLWithPath: path)
    }

    deinit { core.abandon() }

    public var status: AssetWriterStatus { core.state.status }

    /// The error of the writer; set exactly if `status` is `failed`.
    public var error: MediaError? { core.state.error }

    public var inputs: [AssetWriterInput] { core.inputs }

    /// Returns true if `add` would accept the input. The input must have no writer, and this writer must not have
    /// started. The input's settings must be supported by an encoder, and its format by the container.
    public func canAdd(_ input: AssetWriterInput) -> Bool {
        status == .unknown && input.owner == nil && ContainerFit.fault(input, in: fileType) == nil
    }

    /// Adds an input.
    ///
    /// - Throws: `invalidState` once writing has started, or if the input has a writer; `unsupported` for a codec
    ///   without an encoder and for a format that the container cannot store; `invalidSettings` with the name of the
    ///   setting.
    public func add(_ input: AssetWriterInput) throws(MediaError) { try core.add(input) }

    /// Creates the file and the encoders.
    ///
    /// - Throws: `outputExists`, `cannotCreate`, `invalidSettings`, …; the writer has then failed and no file is left.
    ///   `invalidState` without inputs, and for a second call; the writer is then unchanged. Until this function has
    ///   returned, sessions, chapters and `finishWriting` of other threads are refused with `invalidState`.
    public func startWriting() throws(MediaError) { try core.start(configuration) }

    /// Begins a session at a time of the samples' clock. The start of the first session is time 0 of the movie. Audio
    /// before a session is cut off, exact to the audio frame.
    ///
    /// After a session has ended, another may begin. It is shown directly after the previous one, in all tracks,
    /// without the time between the two. In the new session, a track of packets begins with a keyframe again. After a
    /// crash, the repaired movie still contains the time between sessions. While a session is open, a start at the same
    /// time has no effect.
    ///
    /// - Throws: `invalidState` before `startWriting`, while a session is open that began at a different time, and for
    ///   a time before the end of the last session. `unsupported` for a second session of a movie in segments, or with
    ///   an input that encodes in several passes.
    public func startSession(atSourceTime time: MediaTime) throws(MediaError) {
        try core.startSession(at: time)
    }

    /// Ends the session, and cuts the presentation, at a time of the samples' clock. Without this call the movie ends
    /// with its last sample. Inputs accept no sample until another session begins.
    ///
    /// - Throws: `invalidState` if no session is open, and for a time before the session's start.
    public func endSession(atSourceTime time: MediaTime) throws(MediaError) { try core.endSession(at: time) }

    /// Begins a chapter at a time of the samples' clock. The chapter lasts until the next one or the movie's end.
    ///
    /// Before `startWriting`, chapters may be added in any order. While writing, they must be added in the order of
    /// their times, and only if `writesChapters` is set or a chapter was added before. The first video track refers to
    /// the chapters, or the first audio track if there is no video.
    ///
    /// - Throws: `invalidState` for a movie without a chapter track and after the end, `invalidSample` for a time that
    ///   does not increase.
    public func addChapter(_ title: String, at time: MediaTime) throws(MediaError) {
        try core.addChapter(title, at: time)
    }

    /// Stops the writer and removes its file. Does nothing once completed, failed or finishing.
    public func cancelWriting() { core.cancel() }

    /// Fails the writer for a reason that its owner has found, such as invalid input. Does not fail a writer that is
    /// finishing: its movie is complete, whatever its owner still does.
    ///
    /// - Parameter removesWhatIsLeft: true to leave no unfinished file for a repair, because the movie can be made
    ///   again.
    /// - Returns: true if the writer has failed, now or before.
    package func fail(_ error: MediaError, removingWhatIsLeft removes: Bool) -> Bool {
        core.fail(error, sparesFinishing: true)
        guard status == .failed else { return false }
        if removes { removeWhatIsLeft() }
        return true
    }

    /// Removes the file that a failed writer has left for repair. Used for movies that can be made again.
    func removeWhatIsLeft() { core.destination.discard() }

    /// The number of bytes in the file until now.
    public var bytesWritten: Int64 { core.bytesWritten }
}

/// An event in a writer that is not the result of a call.
public enum AssetWriterEvent: Sendable {
    /// The first fragment is in the file and synced: from here on the recording exists.
    case began
    /// One track ended early; the others continue.
    case inputFailed(MediaType, MediaError)
    /// The writer failed; its synced data remains.
    case failed(MediaError)
    /// The movie is finalized.
    case completed
}
