import Foundation
import MediaTypes
import RealTime

public typealias CMItemCount = CFIndex
public typealias CMItemIndex = CFIndex

/// A picture, a stretch of sound or packets, with their format and times.
///
/// What a reader gives wraps the engine's sample and copies nothing. Any thread may read it, and set attachments.
public final class CMSampleBuffer: @unchecked Sendable {
    // Unchecked: all that changes is behind the lock.
    enum Content {
        case none
        case image(CVPixelBuffer)
        case data(CMBlockBuffer)
    }

    private struct State {
        var content: Content?
        var format: CMFormatDescription?
        var isValid = true
        var isReady = true
        var outputTime: CMTime?
        var attachments: [String: (value: Any, mode: CMAttachmentMode)] = [:]
        var sampleAttachments: [NSMutableDictionary]?
    }

    /// What a reader gave; nil for one that a program made.
    private let engine: SampleBuffer?
    private let timings: [CMSampleTimingInfo]
    private let sizes: [Int]
    public let numSamples: Int
    private let state: Locked<State>

    init(_ sample: SampleBuffer) {
        engine = sample
        numSamples = sample.sampleCount
        timings = []
        sizes = []
        state = Locked(State())
    }

    init(
        _ content: Content, format: CMFormatDescription?, count: Int, timings: [CMSampleTimingInfo], sizes: [Int],
        isReady: Bool = true
    ) {
        engine = nil
        numSamples = count
        self.timings = timings
        self.sizes = sizes
        state = Locked(State(content: content, format: format, isReady: isReady))
    }

    // MARK: What is in it

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
    public var dataReadiness: Bool { state.withLock { $0.isReady } }

    /// Lets go of the media; the times stay.
    public func invalidate() throws {
        state.withLock { state in
            state.isValid = false
            state.content = Content.none
        }
    }

    func setReady(_ data: CMBlockBuffer? = nil) {
        state.withLock { state in
            if let data { state.content = .data(data) }
            state.isReady = true
        }
    }

    // MARK: Times

    public var presentationTimeStamp: CMTime {
        engine.map { CMTime($0.presentationTime) } ?? timings.map(\.presentationTimeStamp).min() ?? .invalid
    }
    /// Invalid where the samples come in the order of showing them.
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
        get { state.withLock { $0.outputTime } ?? presentationTimeStamp }
        set { state.withLock { $0.outputTime = newValue } }
    }
    public var outputDuration: CMTime { duration }
    public var outputDecodeTimeStamp: CMTime { decodeTimeStamp }

    /// The time of each sample, or one for all of them where they follow one another and last alike.
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

    // MARK: Attachments

    func attachment(_ key: String) -> (value: Any, mode: CMAttachmentMode)? { state.withLock { $0.attachments[key] } }
    func attachments(_ mode: CMAttachmentMode) -> [String: Any] {
        state.withLock { $0.attachments.filter { $0.value.mode == mode }.mapValues(\.value) }
    }
    func set(_ value: Any?, _ mode: CMAttachmentMode, for key: String) {
        state.withLock { $0.attachments[key] = value.map { ($0, mode) } }
    }
    func removeAllAttachments() { state.withLock { $0.attachments = [:] } }

    /// A dictionary for each sample, which may be changed.
    func sampleAttachments(creates: Bool) -> [NSMutableDictionary]? {
        state.withLock { state in
            if let all = state.sampleAttachments { return all }
            let isKeyFrame = engine?.isKeyFrame ?? true
            guard creates || !isKeyFrame else { return nil }
            let all = (0..<max(1, min(numSamples, 65_536))).map { _ in NSMutableDictionary() }
            if !isKeyFrame {
                all[0].setObject(true as NSNumber, forKey: kCMSampleAttachmentKey_NotSync as NSString)
                all[0].setObject(true as NSNumber, forKey: kCMSampleAttachmentKey_DependsOnOthers as NSString)
            }
            state.sampleAttachments = all
            return all
        }
    }

    private func isKeyFrame(_ index: Int) -> Bool {
        let attachments = state.withLock { $0.sampleAttachments }
        guard let attachments, attachments.indices.contains(index) else { return true }
        let isNotSync = attachments[index].object(forKey: kCMSampleAttachmentKey_NotSync as NSString) as? NSNumber
        return !(isNotSync?.boolValue ?? false)
    }

    // MARK: For the engine

    /// What is in here as the engine takes it: one sample for each picture or packet, sound in one piece.
    ///
    /// - Throws: for samples without data, format or time.
    func engineSamples() throws(MediaError) -> [SampleBuffer] {
        func fault(_ reason: String) -> MediaError {
            MediaError(.invalidSample, "cannot append a sample", reason: reason)
        }
        guard isValid else { throw fault("it was invalidated") }
        if let engine { return [engine] }
        guard dataReadiness else { throw fault("its data is not ready") }
        switch content {
        case .none: throw fault("there is nothing in it")
        case .image(let image):
            guard let timing = timings.first, timing.presentationTimeStamp.isNumeric else {
                throw fault("it has no presentation time")
            }
            return [
                SampleBuffer(
                    pixels: image.pixels, presentationTime: timing.presentationTimeStamp.media,
                    duration: timing.duration.isNumeric ? timing.duration.media : nil)
            ]
        case .data(let data):
            guard let format = formatDescription?.engine else { throw fault("it has no format") }
            return try engineSamples(data.media, format)
        }
    }

    private func engineSamples(_ data: MediaData, _ format: FormatDescription) throws(MediaError) -> [SampleBuffer] {
        func fault(_ reason: String) -> MediaError {
            MediaError(.invalidSample, "cannot append a sample", reason: reason)
        }
        guard presentationTimeStamp.isNumeric else { throw fault("it has no presentation time") }
        if let audio = format.audio, let frame = audio.bytesPerFrame {
            guard frame > 0, data.count % frame == 0 else { throw fault("it holds no whole frames") }
            return [SampleBuffer(pcm: data, format: audio, presentationTime: presentationTimeStamp.media)]
        }
        var (samples, offset): ([SampleBuffer], Int) = ([], 0)
        for index in 0..<max(1, numSamples) {
            let length = numSamples <= 1 ? data.count : size(at: index)
            guard let timing = timing(at: index) ?? timings.first, timing.presentationTimeStamp.isNumeric else {
                throw fault("sample \(index) has no presentation time")
            }
            guard length > 0, length <= data.count - offset else { throw fault("the sizes are not those of its data") }
            let bytes = UnsafeRawBufferPointer(rebasing: data.bytes[offset..<(offset + length)])
            offset += length
            samples.append(
                SampleBuffer(
                    format: format, content: .data(numSamples <= 1 ? data : MediaData(borrowing: bytes, keeping: data)),
                    presentationTime: timing.presentationTimeStamp.media,
                    decodeTime: timing.decodeTimeStamp.isNumeric ? timing.decodeTimeStamp.media : nil,
                    duration: timing.duration.isNumeric ? timing.duration.media : nil,
                    sampleCount: format.audio.map { max(1, $0.framesPerPacket) } ?? 1, isKeyFrame: isKeyFrame(index)))
        }
        return samples
    }

    /// The same media at other times.
    func copied(timings: [CMSampleTimingInfo]?) -> CMSampleBuffer {
        let copy: CMSampleBuffer
        if let engine, let timing = timings?.first {
            let moved = SampleBuffer(
                format: engine.format, content: engine.content, presentationTime: timing.presentationTimeStamp.media,
                decodeTime: timing.decodeTimeStamp.isNumeric ? timing.decodeTimeStamp.media : nil,
                duration: timing.duration.isNumeric
                    ? CMTimeMultiply(timing.duration, multiplier: Int32(clamping: numSamples)).media : engine.duration,
                sampleCount: engine.sampleCount, isKeyFrame: engine.isKeyFrame)
            copy = CMSampleBuffer(moved)
        } else if let engine {
            copy = CMSampleBuffer(engine)
        } else {
            copy = CMSampleBuffer(
                content, format: formatDescription, count: numSamples, timings: timings ?? self.timings, sizes: sizes,
                isReady: dataReadiness)
        }
        let attachments = state.withLock {
            $0.attachments.filter { $0.value.mode == kCMAttachmentMode_ShouldPropagate }
        }
        copy.state.withLock { $0.attachments = attachments }
        return copy
    }
}
