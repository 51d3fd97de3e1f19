import Foundation
package import MediaTypes
import RealTime

public typealias CMItemCount = CFIndex
public typealias CMItemIndex = CFIndex

/// A frame, a run of audio or packets, with their format and times.
///
/// A reader's sample buffer wraps a sample of the library and copies nothing. Any thread may read a sample buffer and
/// set attachments.
public final class CMSampleBuffer: @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    enum Content {
        case none
        case image(CVPixelBuffer)
        case data(CMBlockBuffer)
    }

    private struct State {
        var content: Content?
        var format: CMFormatDescription?
        var isValid = true
        var readiness = DataReadiness.ready
        var makeReady: CMSampleBufferMakeDataReadyHandler?
        var tracked: CMSampleBuffer?
        var invalidated: ((CMSampleBuffer) throws -> Void)?
        /// True if separate channels were interleaved.
        var isInterleaved = false
        var outputTime: CMTime?
        var attachments: [String: (value: Any, mode: CMAttachmentMode)] = [:]
        var sampleAttachments: [NSMutableDictionary]?
    }

    /// The library's sample, from a reader; nil for a buffer that a program created.
    let engine: SampleBuffer?
    let timings: [CMSampleTimingInfo]
    private let sizes: [Int]
    public let numSamples: Int
    private let state: Locked<State>

    package convenience init(_ sample: SampleBuffer) { self.init(sample, description: nil) }

    /// - Parameter description: the description of the sample's format, which many samples can share. If nil, one is
    ///   created when it is needed.
    init(_ sample: SampleBuffer, description: CMFormatDescription?) {
        engine = sample
        // A reader returns one packet of compressed audio at a time, but the library counts the frames in it.
        let isPacket = sample.format.audio.map { $0.bytesPerFrame == nil } ?? false
        numSamples = isPacket ? 1 : sample.sampleCount
        timings = []
        sizes = []
        // Nothing else refers to the state yet.
        nonisolated(unsafe) let made = State(format: description)
        state = Locked(made)
    }

    init(
        _ content: Content, format: CMFormatDescription?, count: Int, timings: [CMSampleTimingInfo], sizes: [Int],
        isReady: Bool = true, makeReady: CMSampleBufferMakeDataReadyHandler? = nil, isInterleaved: Bool = false
    ) {
        engine = nil
        numSamples = count
        self.timings = timings
        self.sizes = sizes
        // As in Core Media, the handler is called on the thread that requests the data.
        nonisolated(unsafe) let made = State(
            content: content, format: format, readiness: isReady ? .ready : .notReady, makeReady: makeReady,
            isInterleaved: isInterleaved)
        state = Locked(made)
    }

    /// Copies a sample buffer, with other times if `timings` is not nil. The samples' attachments are copied. The
    /// buffer's attachments are copied if they propagate.
    init(copying source: CMSampleBuffer, timings: [CMSampleTimingInfo]?) {
        _ = source.content  // creates the object that both share
        var copy = source.state.withLock { state in
            State(
                content: state.content, format: state.format, isValid: state.isValid, readiness: state.readiness,
                makeReady: state.makeReady, tracked: state.tracked, isInterleaved: state.isInterleaved,
                attachments: state.attachments.filter { $0.value.mode == kCMAttachmentMode_ShouldPropagate },
                sampleAttachments: state.sampleAttachments?.map { Self.copied($0) })
        }
        numSamples = source.numSamples
        sizes = source.sizes
        self.timings = timings ?? source.timings
        if let engine = source.engine, let timing = timings?.first {
            // The duration of PCM audio follows from the number of its frames, and must not be set. Some programs pass
            // the duration of the entire buffer as the duration of each frame.
            let isTimed = timing.duration.isNumeric && engine.format.audio?.bytesPerFrame == nil
            self.engine = SampleBuffer(
                format: engine.format, content: engine.content, presentationTime: timing.presentationTimeStamp.media,
                decodeTime: timing.decodeTimeStamp.isNumeric ? timing.decodeTimeStamp.media : nil,
                duration: isTimed
                    ? CMTimeMultiply(timing.duration, multiplier: Int32(clamping: numSamples)).media : engine.duration,
                sampleCount: engine.sampleCount, isKeyframe: engine.isKeyframe)
        } else {
            engine = source.engine
        }
        if timings == nil { copy.outputTime = source.state.withLock { $0.outputTime } }
        // No other thread has the dictionaries yet, and the rest is thread-safe.
        nonisolated(unsafe) let made = copy
        state = Locked(made)
    }

    // MARK: Content

    var content: Content {
        state.withLock { state in
            if let content = state.content { return content }
            guard let engine, state.isValid else { return .none }
            let content: Content
            switch engine.content {
            case .pixels(let pixels): content = .image(CVPixelBuffer(pixels))
            case .data(let data): content = .data(CMBlockBuffer(data))
            }
            state.content = content
            return content
        }
    }

    /// The content if it was requested before, and so may have been changed.
    var requestedContent: Content? { state.withLock { $0.content } }

    public var imageBuffer: CVImageBuffer? {
        if case .image(let image) = content { image } else { nil }
    }
    public var dataBuffer: CMBlockBuffer? {
        if case .data(let data) = content { data } else { nil }
    }
    public var formatDescription: CMFormatDescription? {
        state.withLock { state in
            if state.format == nil, let engine { state.format = CMFormatDescription(engine.format) }
            return state.format
        }
    }

    public var isValid: Bool { state.withLock { $0.isValid } }

    public enum DataReadiness: Hashable, Sendable {
        case notReady
        case ready
        /// The data will never be available; the code says why.
        case failed(OSStatus)
    }

    public var dataReadiness: DataReadiness {
        let (own, tracked) = state.withLock { ($0.readiness, $0.tracked) }
        return own == .notReady ? tracked?.dataReadiness ?? own : own
    }
    var isReady: Bool { dataReadiness == .ready }

    /// Releases the media but keeps the times. The first call also calls the invalidation handler.
    ///
    /// - Throws: the handler's error.
    public func invalidate() throws {
        let handler = state.withLock { state in
            state.isValid = false
            state.content = Content.none
            defer { state.invalidated = nil }
            return state.invalidated
        }
        try handler?(self)
    }

    public func setInvalidateHandler(_ body: @escaping (CMSampleBuffer) throws -> Void) throws {
        state.withLock { $0.invalidated = body }
    }

    /// Makes the data available. If it is not available yet, calls the buffer's handler, at most once.
    ///
    /// - Throws: an error if the data cannot be provided.
    public func makeDataReady() throws {
        if case .failed(let status) = dataReadiness { throw CoreMediaError.of(status) }
        guard !isReady else { return }
        let (handler, tracked) = state.withLock { ($0.makeReady, $0.tracked) }
        try tracked?.makeDataReady()
        guard let handler else { return }
        state.withLock { $0.makeReady = nil }
        let status = handler(self)
        setReadiness(status == noErr ? .ready : .failed(status))
        try CoreMediaError.check(status)
    }

    /// Makes this buffer ready when the other buffer becomes ready.
    public func trackDataReadiness(_ sampleBufferToTrack: CMSampleBuffer) throws {
        guard sampleBufferToTrack !== self else { throw Error.requiredParameterMissing }
        state.withLock { $0.tracked = sampleBufferToTrack }
    }

    func setReadiness(_ readiness: DataReadiness) { state.withLock { $0.readiness = readiness } }

    /// Sets the data if the buffer has none yet, and returns true if it was set. The caller marks the data as ready.
    func set(_ data: CMBlockBuffer, isInterleaved: Bool = false) -> Bool {
        state.withLock { state in
            guard engine == nil, case .none? = state.content else { return false }
            state.content = .data(data)
            state.isInterleaved = isInterleaved
            return true
        }
    }

    /// True if the channels are not interleaved but stored one after the other.
    var isPlanar: Bool { state.withLock { !$0.isInterleaved && ($0.format?.isPlanar ?? false) } }

    // MARK: Times

    public var presentationTimeStamp: CMTime {
        engine.map { CMTime($0.presentationTime) } ?? timings.map(\.presentationTimeStamp).min() ?? .invalid
    }
    /// The decode time; invalid if the samples are in presentation order.
    public var decodeTimeStamp: CMTime {
        engine.map { $0.decodeTime.map { CMTime($0) } ?? .invalid } ?? timings.first?.decodeTimeStamp ?? .invalid
    }
    public var duration: CMTime {
        if let engine { return engine.duration.map { CMTime($0) } ?? .invalid }
        guard let first = timings.first else { return .invalid }
        if timings.count == 1 { return CMTimeMultiply(first.duration, multiplier: Int32(clamping: numSamples)) }
        return timings.reduce(.zero) { $0 + $1.duration }
    }
    public var outputPresentationTimeStamp: CMTime {
        state.withLock { $0.outputTime } ?? presentationTimeStamp
    }
    public func setOutputPresentationTimeStamp(_ pts: CMTime) throws { state.withLock { $0.outputTime = pts } }
    public var outputDuration: CMTime { duration }
    public var outputDecodeTimeStamp: CMTime { decodeTimeStamp }

    /// The timing of each sample. It is a single timing if all samples are consecutive and have the same duration.
    var timingInfos: [CMSampleTimingInfo] {
        guard let engine else { return timings }
        let length = engine.duration.map { CMTime($0) } ?? .invalid
        let each =
            numSamples > 1
            ? CMTimeMultiplyByRatio(length, multiplier: 1, divisor: Int32(clamping: numSamples)) : length
        return [
            CMSampleTimingInfo(
                duration: each, presentationTimeStamp: presentationTimeStamp, decodeTimeStamp: decodeTimeStamp)
        ]
    }

    func timing(at index: Int) -> CMSampleTimingInfo? {
        guard index >= 0, index < numSamples, let first = timingInfos.first else { return nil }
        if timingInfos.count == numSamples { return timingInfos[index] }
        guard timingInfos.count == 1 else { return nil }
        var timing = first
        timing.presentationTimeStamp =
            timing.presentationTimeStamp + CMTimeMultiply(timing.duration, multiplier: Int32(clamping: index))
        return timing
    }

    // MARK: Sizes

    public var totalSampleSize: Int {
        switch content {
        case .data(let data): data.dataLength
        case .image, .none: 0
        }
    }

    func size(at index: Int) -> Int {
        guard index >= 0, index < numSamples else { return 0 }
        if sizes.count == numSamples { return sizes[index] }
        if let size = sizes.first { return size }
        if let frame = formatDescription?.engine.audio?.bytesPerFrame { return frame }
        return numSamples == 1 ? totalSampleSize : 0
    }

    var sizeList: [Int] { sizes }
    var isMade: Bool { engine == nil }

    // MARK: Attachments

    func attachment(_ key: String) -> (value: Any, mode: CMAttachmentMode)? { state.withLock { $0.attachments[key] } }
    func attachments(_ mode: CMAttachmentMode) -> [String: Any] {
        state.withLock { $0.attachments.filter { $0.value.mode == mode }.mapValues(\.value) }
    }
    func set(_ value: Any?, _ mode: CMAttachmentMode, for key: String) {
        state.withLock { $0.attachments[key] = value.map { ($0, mode) } }
    }
    func removeAllAttachments() { state.withLock { $0.attachments = [:] } }

    /// Returns a mutable dictionary for each sample.
    func sampleAttachments(creates: Bool) -> [NSMutableDictionary]? {
        state.withLock { state in
            if let all = state.sampleAttachments { return all }
            let isKeyframe = engine?.isKeyframe ?? true
            guard creates || !isKeyframe else { return nil }
            let all = (0..<max(1, min(numSamples, 65_536))).map { _ in NSMutableDictionary() }
            if !isKeyframe {
                all[0].setObject(true as NSNumber, forKey: kCMSampleAttachmentKey_NotSync as NSString)
                all[0].setObject(true as NSNumber, forKey: kCMSampleAttachmentKey_DependsOnOthers as NSString)
            }
            state.sampleAttachments = all
            return all
        }
    }

    static func copied(_ dictionary: NSMutableDictionary) -> NSMutableDictionary {
        let copy = NSMutableDictionary()
        for key in dictionary.allKeys {
            guard let key = key as? NSString, let value = dictionary.object(forKey: key) else { continue }
            copy.setObject(value, forKey: key)
        }
        return copy
    }

    func setSampleAttachments(_ all: [NSMutableDictionary]) { state.withLock { $0.sampleAttachments = all } }

    func isKeyframe(_ index: Int) -> Bool {
        let attachments = state.withLock { $0.sampleAttachments }
        guard let attachments else { return engine?.isKeyframe ?? true }
        guard attachments.indices.contains(index) else { return true }
        let isNotSync = attachments[index].object(forKey: kCMSampleAttachmentKey_NotSync as NSString) as? NSNumber
        return !(isNotSync?.boolValue ?? false)
    }
}
