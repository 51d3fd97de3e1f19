import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// One track of a movie that is being written. Safe to call from any thread, but the caller must append the samples of
/// one input in order.
open class AVAssetWriterInput: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private struct State {
        weak var writer: AVAssetWriter?
        var metadata: [AVMetadataItem] = []
        /// The error of an invalid parameter or call. If there is one, `canAdd` returns false for the input.
        var fault: MediaError?
        /// True if a writer could not add the input, and the input belongs to no other writer.
        var isRefused = false
        /// The blocks to call if a writer cannot add the input.
        var whenRefused: [@Sendable () -> Void] = []
        var isFinished = false
        var whenStarted: [@Sendable () -> Void] = []
        /// The time of the latest sample that was accepted.
        var newest = MediaTime.negativeInfinity
    }

    public let mediaType: AVMediaType
    public let outputSettings: [String: Any]?
    public let sourceFormatHint: CMFormatDescription?
    /// The frame size in the settings. The track's size may be larger, because some codecs store only even sizes.
    private let frameSize: (width: Int?, height: Int?)
    /// The library's input; nil if the parameters are invalid.
    let engine: AssetWriterInput?
    private let state: Locked<State>

    public convenience init(mediaType: AVMediaType, outputSettings: [String: Any]?) {
        self.init(mediaType: mediaType, outputSettings: outputSettings, sourceFormatHint: nil)
    }

    /// - Parameters:
    ///   - outputSettings: the settings, or nil to store samples unchanged. With invalid settings, `canAdd` returns
    ///     false for the input.
    ///   - sourceFormatHint: a format whose values are used where the settings have none.
    public init(mediaType: AVMediaType, outputSettings: [String: Any]?, sourceFormatHint: CMFormatDescription?) {
        self.mediaType = mediaType
        self.outputSettings = outputSettings
        self.sourceFormatHint = sourceFormatHint
        var (engine, fault): (AssetWriterInput?, MediaError?)
        var frameSize: (width: Int?, height: Int?)
        var paddedSize: CGSize?
        do throws(MediaError) {
            guard let type = mediaType.engine else {
                throw MediaError(
                    .unsupported, "cannot create an input", reason: "unsupported media type \(mediaType.rawValue)")
            }
            var settings = try outputSettings.map { words throws(MediaError) in
                try WriterSettings.settings(words, for: mediaType)
            }
            if case .video(let video) = settings {
                frameSize = (video.width, video.height)
                let padded = video.padded(hint: sourceFormatHint?.engine.video)
                if padded != video { paddedSize = padded.shownSize }
                settings = .video(padded)
            }
            engine = try AssetWriterInput(
                mediaType: type, outputSettings: settings, sourceFormatHint: sourceFormatHint?.engine)
            if let shown = paddedSize { try engine?.configure { $0.naturalSize = shown } }
        } catch { fault = error }
        self.engine = engine
        self.frameSize = frameSize
        state = Locked(State(fault: fault))
        super.init()
    }

    var fault: MediaError? { state.withLock { $0.fault } }
    var writer: AVAssetWriter? { state.withLock { $0.writer } }

    func bind(to writer: AVAssetWriter) {
        state.withLock { state in
            state.writer = writer
            (state.isRefused, state.whenRefused) = (false, [])
        }
    }

    /// Records that a writer could not add the input, and has failed. The blocks that the program has requested are
    /// called once, so that the program notices the failure.
    func refused() {
        let calls = state.withLock { state -> [@Sendable () -> Void] in
            guard state.writer == nil else { return [] }
            defer { state.whenRefused = [] }
            state.isRefused = true
            return state.whenRefused
        }
        for call in calls { call() }
    }

    /// True if the input belongs to no writer, and never will.
    private var isUnusable: Bool { engine == nil || state.withLock { $0.isRefused } }

    /// Runs `request`. But if the input cannot belong to a writer, or later turns out not to, calls the block once
    /// instead.
    func whenUsable(
        _ request: () throws(MediaError) -> Void, otherwise call: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        let isUsable = state.withLock { state in
            guard engine != nil, !state.isRefused else { return false }
            if state.writer == nil { state.whenRefused.append(call) }
            return true
        }
        if isUsable { try request() } else { call() }
    }

    /// Records an error of the input. The input then cannot be added to a writer, or its writer fails.
    func refuse(_ fault: MediaError) {
        state.withLock { $0.fault = $0.fault ?? fault }
        writer?.fail(fault)
    }

    // MARK: Set before writing starts

    func configure(_ change: (inout AssetWriterInput.Configuration) -> Void) {
        guard let engine else { return }
        do throws(MediaError) {
            try engine.configure(change)
        } catch {
            if error.code == .invalidState, let writer { return writer.fail(error) }
            state.withLock { $0.fault = $0.fault ?? error }
        }
    }
    private var configuration: AssetWriterInput.Configuration { engine?.configuration ?? .init() }

    open var expectsMediaDataInRealTime: Bool {
        get { configuration.expectsMediaDataInRealTime }
        set { if newValue != expectsMediaDataInRealTime { configure { $0.expectsMediaDataInRealTime = newValue } } }
    }
    open var metadata: [AVMetadataItem] {
        get { state.withLock { $0.metadata } }
        set {
            configure { $0.metadata = AVMetadataItem.engine(newValue, for: .mov) }
            state.withLock { $0.metadata = newValue }
        }
    }
    open var languageCode: String? {
        get { configuration.languageCode == "und" ? nil : configuration.languageCode }
        set { configure { $0.languageCode = newValue ?? "und" } }
    }
    open var extendedLanguageTag: String? {
        get { configuration.extendedLanguageTag }
        set { configure { $0.extendedLanguageTag = newValue } }
    }
    open var naturalSize: CGSize {
        get { configuration.naturalSize }
        set { configure { $0.naturalSize = newValue } }
    }
    open var transform: CGAffineTransform {
        get { CGAffineTransform(configuration.transform) }
        set { configure { $0.transform = newValue.media } }
    }
    open var preferredVolume: Float {
        get { configuration.preferredVolume }
        set { configure { $0.preferredVolume = newValue } }
    }
    open var marksOutputTrackAsEnabled: Bool {
        get { configuration.marksOutputTrackAsEnabled }
        set { configure { $0.marksOutputTrackAsEnabled = newValue } }
    }
    open var mediaTimeScale: CMTimeScale {
        get { configuration.mediaTimeScale }
        set { configure { $0.mediaTimeScale = newValue } }
    }
    open var preferredMediaChunkDuration: CMTime {
        get { configuration.preferredMediaChunkDuration.map { CMTime($0) } ?? .invalid }
        set { configure { $0.preferredMediaChunkDuration = newValue.isNumeric ? newValue.media : nil } }
    }
    open var preferredMediaChunkAlignment: Int {
        get { configuration.preferredMediaChunkAlignment }
        set { configure { $0.preferredMediaChunkAlignment = newValue } }
    }

    // MARK: Samples

    /// True if `append` would accept a sample. Also true after the writer has failed, and if a writer could not add the
    /// input. A loop that appends while this property is true then notices the failure, because `append` returns false.
    open var isReadyForMoreMediaData: Bool {
        guard !state.withLock({ $0.isFinished }) else { return false }
        guard let engine, !isUnusable else { return true }
        return engine.isReadyForMoreMediaData || writer?.status == .failed
    }

    /// - Returns: true if the sample was accepted. An invalid sample makes the writer fail. With a live source, only
    ///   that sample is dropped: the result is false, and the writer continues. The same is true for a live sample
    ///   after `markAsFinished`. If a live input is ready, it never refuses a sample because of the number of
    ///   samples that wait.
    @discardableResult
    open func append(_ sampleBuffer: CMSampleBuffer) -> Bool {
        appendSamples({ () throws(MediaError) in try sampleBuffer.engineSamples() })
    }

    /// Appends samples that belong together, such as a group of metadata and the gap before it.
    ///
    /// - Parameters:
    ///   - make: a closure that returns the samples, or throws an error that says why there are none.
    ///   - accepted: a closure that is called with each sample that was accepted.
    func appendSamples(
        _ make: () throws(MediaError) -> [SampleBuffer], accepted: (SampleBuffer) -> Void = { _ in }
    ) -> Bool {
        do throws(MediaError) {
            for (index, sample) in try make().enumerated() {
                // The input was ready for all of these samples, so the later ones do not wait for other tracks.
                guard try take(sample, isInRun: index > 0) else { return false }
                accepted(sample)
            }
            return true
        } catch {
            appendFailed(error)
            return false
        }
    }

    /// The size of the frames that will be appended; 0 × 0 if it is unknown.
    var inputSize: (width: Int, height: Int) {
        let hint = sourceFormatHint?.engine.video
        return (hint?.width ?? frameSize.width ?? 0, hint?.height ?? frameSize.height ?? 0)
    }

    /// Appends a frame from an adaptor.
    func append(_ pixels: PixelBuffer, at time: CMTime) -> Bool {
        do throws(MediaError) {
            guard time.isNumeric else {
                throw MediaError(.invalidSample, "cannot append a frame", reason: "its time is not a number")
            }
            return try take(SampleBuffer(pixels: pixels, presentationTime: time.media))
        } catch {
            appendFailed(error)
            return false
        }
    }

    private func take(_ sample: SampleBuffer, isInRun: Bool = false) throws(MediaError) -> Bool {
        guard let engine, !isUnusable, writer?.status != .failed else { return false }
        if state.withLock({ $0.isFinished }) {
            throw MediaError(.invalidState, "cannot append a sample", reason: "the input is marked as finished")
        }
        do throws(MediaError) {
            if try isInRun ? engine.appendInRun(sample) : engine.append(sample) {
                state.withLock { $0.newest = max($0.newest, order(sample)) }
                return true
            }
        } catch {
            guard error.code == .invalidSample, order(sample) <= state.withLock({ $0.newest }) else { throw error }
            if !expectsMediaDataInRealTime { writer?.fail(error, as: .unknown) }
            throw error
        }
        if !expectsMediaDataInRealTime, !engine.isReadyForMoreMediaData, writer?.status == .writing {
            throw MediaError(
                .invalidState, "cannot append a sample", reason: "the input was not ready for more",
                wayOut: "append while isReadyForMoreMediaData")
        }
        return false
    }

    /// Returns the time by which samples are ordered. For packets this is the decode time, because they arrive in
    /// decode order.
    private func order(_ sample: SampleBuffer) -> MediaTime {
        outputSettings == nil ? sample.decodeTime ?? sample.presentationTime : sample.presentationTime
    }

    private func appendFailed(_ error: MediaError) {
        if error.code == .cancelled { return }
        if expectsMediaDataInRealTime {
            if error.code == .invalidSample { return }
            // A live source may still deliver a sample while another thread marks its input as finished.
            if error.code == .invalidState, state.withLock({ $0.isFinished }) { return }
        }
        writer?.fail(error)
    }

    /// Ends the input. Further calls have no effect.
    open func markAsFinished() {
        state.withLock { $0.isFinished = true }
        engine?.markAsFinished()
    }

    /// Calls the block repeatedly on the queue, one call at a time, while the input is ready. The block is not called
    /// after `markAsFinished`, and only once more after the writer has failed. It is called once if a writer could not
    /// add the input.
    @preconcurrency
    open func requestMediaDataWhenReady(on queue: DispatchQueue, using block: @escaping @Sendable () -> Void) {
        let isOver = Locked(false)
        let call: @Sendable () -> Void = { [weak self] in
            guard let self, !isOver.withLock({ $0 }), !self.state.withLock({ $0.isFinished }) else { return }
            block()
            // If the block was called after the writer failed, the program has noticed the failure, so no further call
            // is needed.
            if self.writer?.status == .failed { isOver.withLock { $0 = true } }
        }
        do throws(MediaError) {
            try whenUsable { () throws(MediaError) in
                try engine?.requestMediaDataWhenReady(on: queue, using: call)
            } otherwise: {
                queue.async(execute: call)
            }
        } catch {
            writer?.fail(error)
            queue.async(execute: call)
        }
    }

    func writingStarted() {
        let waiting = state.withLock { state in
            defer { state.whenStarted = [] }
            return state.whenStarted
        }
        for call in waiting { call() }
    }

    func whenStarted(_ call: @escaping @Sendable () -> Void) { state.withLock { $0.whenStarted.append(call) } }

    // MARK: Associations

    open func canAddTrackAssociation(withTrackOf input: AVAssetWriterInput, type trackAssociationType: String) -> Bool {
        guard let engine, let other = input.engine,
            let type = AVAssetTrack.AssociationType(rawValue: trackAssociationType).engine
        else { return false }
        return engine.canAddTrackAssociation(withTrackOf: other, type: type)
    }

    open func addTrackAssociation(withTrackOf input: AVAssetWriterInput, type trackAssociationType: String) {
        guard let engine, let other = input.engine,
            let type = AVAssetTrack.AssociationType(rawValue: trackAssociationType).engine
        else { return }
        do throws(MediaError) {
            try engine.addTrackAssociation(withTrackOf: other, type: type)
        } catch {
            state.withLock { $0.fault = $0.fault ?? error }
        }
    }
}
