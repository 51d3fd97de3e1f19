import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// Writes one movie from samples. Safe to use from any thread.
///
/// During writing, the file is named `NAME.recording.EXTENSION` in the same directory. It gets its final name when it
/// is finalized. A call in the wrong state, or a property that is set too late, makes the writer fail with an error; no
/// call traps. From `finishWriting` on, such calls have no effect. A writer that fails deletes its file. It keeps the
/// file only if it recorded a live source, because that cannot be recorded again. An empty file is always deleted.
open class AVAssetWriter: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    public enum Status: Int, Sendable {
        case unknown = 0
        case writing = 1
        case completed = 2
        case failed = 3
        case cancelled = 4
    }

    private struct State {
        var inputs: [AVAssetWriterInput] = []
        var groups: [AVAssetWriterInputGroup] = []
        var metadata: [AVMetadataItem] = []
        var configuration = AssetWriter.Configuration()
        /// The error of an invalid call that was not passed to the library's writer.
        var fault: MediaError?
        /// The code for `fault`, if it is not the usual code for this kind of error.
        var faultCode: AVError.Code?
        var hasStarted = false
        var segments = SegmentChoices()
    }

    /// The URL of the movie; `/dev/null` if a delegate receives its segments.
    public let outputURL: URL
    public let outputFileType: AVFileType
    let engine: AssetWriter
    private let state = Locked(State())
    /// The outlet for segments; nil for a movie in one file.
    private let outlet: SegmentOutlet?

    /// - Throws: an error if no file can be created at the URL, and for unsupported file types.
    public init(outputURL: URL, fileType outputFileType: AVFileType) throws {
        self.outputURL = outputURL
        self.outputFileType = outputFileType
        do throws(MediaError) {
            engine = try AssetWriter(outputURL: outputURL, fileType: try outputFileType.engine())
        } catch {
            throw AVError(error)
        }
        outlet = nil
        super.init()
    }

    /// Creates a writer that passes segments to `delegate` and writes no file.
    ///
    /// - Parameter outputContentType: `.mpeg4Movie` or `.mpeg4Audio`. Other types have no segments, so the writer
    ///   fails.
    public init(contentType outputContentType: UTType) {
        let outlet = SegmentOutlet()
        let type: FileType? =
            switch outputContentType.identifier {
            case UTType.mpeg4Movie.identifier: .mp4
            case UTType.mpeg4Audio.identifier, AVFileType.m4a.rawValue: .m4a
            default: nil
            }
        engine = AssetWriter(handingSegmentsOf: type ?? .mp4) { outlet.receive($0) }
        outputURL = engine.outputURL
        outputFileType = AVFileType(rawValue: outputContentType.identifier)
        self.outlet = outlet
        super.init()
        outlet.writer = self
        guard type == nil else { return }
        fail(
            MediaError(
                .unsupported, "cannot write segments of \(outputContentType.identifier)",
                reason: "segments are MPEG-4 (ISO/IEC 14496-12, 8.16)", wayOut: "use .mpeg4Movie"))
    }

    public convenience init(url outputURL: URL, fileType outputFileType: AVFileType) throws {
        try self.init(outputURL: outputURL, fileType: outputFileType)
    }

    open var status: Status {
        if state.withLock({ $0.fault }) != nil { return .failed }
        switch engine.status {
        case .unknown: return .unknown
        case .writing: return .writing
        case .completed: return .completed
        case .failed: return .failed
        case .cancelled: return .cancelled
        }
    }

    /// The error; nil unless `status` is `failed`.
    open var error: (any Error)? {
        let (fault, code) = state.withLock { ($0.fault, $0.faultCode) }
        return (fault ?? engine.error).map { AVError(code ?? AVError.Code($0), $0) }
    }

    open var availableMediaTypes: [AVMediaType] { [.video, .audio, .text, .timecode, .metadata] }

    // MARK: Set before writing starts

    open var metadata: [AVMetadataItem] {
        get { state.withLock { $0.metadata } }
        set { change("metadata") { $0.metadata = newValue } }
    }
    open var shouldOptimizeForNetworkUse: Bool {
        get { state.withLock { $0.configuration.shouldOptimizeForNetworkUse } }
        set { change("shouldOptimizeForNetworkUse") { $0.configuration.shouldOptimizeForNetworkUse = newValue } }
    }
    open var directoryForTemporaryFiles: URL? {
        get { state.withLock { $0.configuration.directoryForTemporaryFiles } }
        set { change("directoryForTemporaryFiles") { $0.configuration.directoryForTemporaryFiles = newValue } }
    }
    /// The fragment interval. The default is about a second. Setting an invalid time has no effect: unlike on Apple's
    /// systems, files always have fragments, so that a crash loses at most one.
    open var movieFragmentInterval: CMTime {
        get { state.withLock { CMTime($0.configuration.movieFragmentInterval) } }
        set {
            guard newValue.isNumeric else { return }
            change("movieFragmentInterval") { $0.configuration.movieFragmentInterval = newValue.media }
        }
    }
    open var initialMovieFragmentInterval: CMTime {
        get { state.withLock { CMTime($0.configuration.initialMovieFragmentInterval) } }
        set {
            guard newValue.isNumeric else { return }
            change("initialMovieFragmentInterval") { $0.configuration.initialMovieFragmentInterval = newValue.media }
        }
    }
    open var movieTimeScale: CMTimeScale {
        get { state.withLock { $0.configuration.movieTimeScale } }
        set { change("movieTimeScale") { $0.configuration.movieTimeScale = newValue } }
    }
    /// The value is stored, but has no effect: no space is reserved.
    open var overallDurationHint = CMTime.invalid

    // MARK: Segments

    /// The receiver of the segments, for a writer that was created with `init(contentType:)`. The writer does not
    /// retain it.
    open var delegate: (any AVAssetWriterDelegate)? {
        get { state.withLock { $0.segments.delegate } }
        set { state.withLock { $0.segments.delegate = newValue } }
    }
    /// The standard that the segments follow; nil means HTTP Live Streaming. CMAF allows only one input.
    open var outputFileTypeProfile: AVFileTypeProfile? {
        get { state.withLock { $0.segments.profile } }
        set { change("outputFileTypeProfile") { $0.segments.profile = newValue } }
    }
    /// The preferred segment duration. Each segment ends before the first keyframe after this duration. If it is
    /// indefinite, only `flushSegment` ends a segment. If it is invalid, six seconds are used.
    open var preferredOutputSegmentInterval: CMTime {
        get { state.withLock { $0.segments.interval } }
        set { change("preferredOutputSegmentInterval") { $0.segments.interval = newValue } }
    }
    /// The time from which the first segment's duration is measured, on the samples' clock. If it is not numeric, the
    /// time of the first frame is used.
    open var initialSegmentStartTime: CMTime {
        get { state.withLock { $0.segments.start } }
        set { change("initialSegmentStartTime") { $0.segments.start = newValue } }
    }

    /// Ends the current segment after the samples that were appended so far. The next frame begins another segment.
    open func flushSegment() { attempt { () throws(MediaError) in try engine.flushSegment() } }

    private func change(_ name: String, _ body: (inout State) -> Void) {
        let isLate = state.withLock { state in
            guard !state.hasStarted else { return true }
            body(&state)
            return false
        }
        if isLate {
            fail(MediaError(.invalidState, "cannot change \(name)", reason: "writing has started already"))
        }
    }

    // MARK: Inputs

    open var inputs: [AVAssetWriterInput] { state.withLock { $0.inputs } }

    /// Returns true if an input with these settings can be added.
    open func canApply(outputSettings: [String: Any]?, forMediaType mediaType: AVMediaType) -> Bool {
        guard availableMediaTypes.contains(mediaType) else { return false }
        let trial = AVAssetWriterInput(mediaType: mediaType, outputSettings: outputSettings)
        return trial.fault == nil && (trial.engine.map { engine.canAdd($0) } ?? true)
    }

    open func canAdd(_ input: AVAssetWriterInput) -> Bool {
        guard status == .unknown, input.fault == nil, input.writer == nil, let inner = input.engine else {
            return false
        }
        return engine.canAdd(inner)
    }

    /// Adds an input. If it cannot be added, the writer fails with an error that says why.
    open func add(_ input: AVAssetWriterInput) {
        do throws(MediaError) {
            if let fault = input.fault { throw fault }
            guard let inner = input.engine else { return }
            try engine.add(inner)
            input.bind(to: self)
            state.withLock { $0.inputs.append(input) }
        } catch {
            fail(error)
            input.refused()
        }
    }

    // MARK: Writing

    /// Creates the file and the encoders.
    @discardableResult
    open func startWriting() -> Bool {
        guard state.withLock({ $0.fault }) == nil else { return false }
        let (configuration, items, inputs, segments) = state.withLock { state in
            state.hasStarted = true
            return (state.configuration, state.metadata, state.inputs, state.segments)
        }
        do throws(MediaError) {
            if let fault = inputs.lazy.compactMap(\.fault).first { throw fault }
            if outlet != nil { try segments.check() }
            try engine.configure { target in
                target = configuration
                target.metadata = AVMetadataItem.engine(items, for: engine.fileType)
                if outlet != nil { segments.apply(to: &target) }
            }
            try engine.startWriting()
            for input in inputs { input.writingStarted() }
            return true
        } catch {
            fail(error)
            return false
        }
    }

    open func startSession(atSourceTime startTime: CMTime) {
        outlet?.begin(at: startTime.media)
        attempt { () throws(MediaError) in try engine.startSession(atSourceTime: startTime.media) }
    }

    open func endSession(atSourceTime endTime: CMTime) {
        attempt { () throws(MediaError) in try engine.endSession(atSourceTime: endTime.media) }
    }

    open func cancelWriting() { engine.cancelWriting() }

    /// Finalizes the movie. The handler is called once, on an internal queue, even after a failure. `status` and
    /// `error` then contain the result. If the movie is being finalized already, the handler is called at its end too.
    @preconcurrency
    open func finishWriting(completionHandler handler: @escaping @Sendable () -> Void) {
        guard state.withLock({ $0.fault }) == nil else { return OffPool.queue.async { handler() } }
        engine.finishWriting { result in
            if case .failure(let error) = result { self.fail(error) }
            handler()
        }
    }

    open func finishWriting() async {
        await withCheckedContinuation { continuation in
            finishWriting { continuation.resume() }
        }
    }

    /// Blocks until the movie is finalized.
    @available(*, noasync, message: "await finishWriting() in a task")
    @discardableResult
    open func finishWriting() -> Bool {
        guard state.withLock({ $0.fault }) == nil else { return false }
        do throws(MediaError) {
            try engine.finishWritingNow()
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private func attempt(_ body: () throws(MediaError) -> Void) {
        guard state.withLock({ $0.fault }) == nil else { return }
        do throws(MediaError) { try body() } catch { fail(error) }
    }

    /// Makes the writer fail. Only the first error is kept. Does nothing if the writer is finishing, has completed or
    /// was cancelled: a late call must not destroy a movie that is being finalized.
    ///
    /// - Parameter code: AVFoundation's code for this error, if it is not the usual code for this kind of error.
    func fail(_ error: MediaError, as code: AVError.Code? = nil) {
        guard state.withLock({ $0.fault }) == nil else { return }
        let isLive = inputs.contains { $0.expectsMediaDataInRealTime }
        guard engine.fail(error, removingWhatIsLeft: !isLive) else { return }
        let cause = engine.error ?? error
        state.withLock { state in
            guard state.fault == nil else { return }
            state.fault = cause
            state.faultCode = cause == error ? code : nil
        }
    }

    // MARK: Groups

    open var inputGroups: [AVAssetWriterInputGroup] { state.withLock { $0.groups } }

    open func canAdd(_ inputGroup: AVAssetWriterInputGroup) -> Bool {
        inputGroup.engine.map { engine.canAdd($0) } ?? false
    }

    open func add(_ inputGroup: AVAssetWriterInputGroup) {
        attempt { () throws(MediaError) in
            guard let group = inputGroup.engine else {
                throw MediaError(
                    .invalidSettings, "cannot add a group", reason: "its inputs do not form a valid group",
                    wayOut: "use two or more different inputs of one media type, and one of them as the default")
            }
            try engine.add(group)
            state.withLock { $0.groups.append(inputGroup) }
        }
    }
}

extension AVFileType {
    func engine() throws(MediaError) -> FileType {
        switch self {
        case .mov: return .mov
        case .mp4: return .mp4
        case .m4v: return .m4v
        case .m4a: return .m4a
        default:
            throw MediaError(
                .unsupported, "cannot write a file of type \(rawValue)",
                reason: "only QuickTime and MPEG-4 files are written",
                wayOut: "use .mov, .mp4, .m4v or .m4a")
        }
    }
}
