import MediaTypes

/// A source of a track's samples.
protocol TranscodeFeed: AnyObject, Sendable {
    /// Returns the next sample; nil at the end. Blocks. Called on the track's queue.
    func next() throws(MediaError) -> SampleBuffer?
    /// Begins again for another pass. Called after the end, on the track's queue.
    func restart(_ ranges: [TimeRange]) throws(MediaError)
    /// Makes `next` return soon, whatever it waits for. Thread-safe; never blocks.
    func cancel()
    /// The time until which the last frame is on screen. Nil before the end, if the time is unknown, or if the frame
    /// cannot be shown longer than its own duration. Called on the track's queue.
    var lastFrameEnd: MediaTime? { get }
}

extension TranscodeFeed {
    var lastFrameEnd: MediaTime? { nil }
}

/// A reader's output, with the processing of its frames.
final class TranscodeSource: TranscodeFeed, @unchecked Sendable {
    // Unchecked: only the track's queue uses the mutable properties.
    private let reader: AssetReader
    private let output: any AssetReaderOutput
    private let range: TimeRange
    private let steps: FrameSteps?
    private let shift: MediaTime
    private let heldFrame: MovedFrame?
    private let holdLimit: MediaTime?
    private var last: LastKeyframes
    private var preparation: FramePreparation?
    private var isAtEnd = false

    /// - Parameters:
    ///   - range: the time range that the reader reads.
    ///   - shift: an offset that is added to the times of the samples.
    ///   - heldFrame: the frame to move, before `shift` is added; nil for none.
    ///   - end: the end of the shown media, before `shift` is added; infinite if all keyframes must remain keyframes.
    ///   - holdLimit: the latest time until which the last frame is held, if it is on screen longer than its own
    ///     duration; nil if the last frame is never held.
    init(
        _ output: any AssetReaderOutput, of reader: AssetReader, range: TimeRange, steps: FrameSteps?,
        shift: MediaTime = .zero, heldFrame: MovedFrame? = nil, end: MediaTime = .positiveInfinity,
        holdLimit: MediaTime? = nil
    ) throws(MediaError) {
        self.shift = shift
        self.heldFrame = heldFrame
        self.holdLimit = holdLimit
        last = LastKeyframes(end: end)
        self.output = output
        self.reader = reader
        self.range = range
        self.steps = steps
        preparation = try Self.preparation(steps, range)
    }

    private static func preparation(_ steps: FrameSteps?, _ range: TimeRange) throws(MediaError)
        -> FramePreparation?
    {
        guard let steps else { return nil }
        return try FramePreparation(steps, from: range.start)
    }

    func next() throws(MediaError) -> SampleBuffer? {
        guard let preparation else { return try read() }
        while true {
            if let sample = try preparation.next() { return sample }
            if isAtEnd { return nil }
            let sample = try read()
            isAtEnd = sample == nil
            try preparation.take(sample, lastFrameEnd: isAtEnd ? lastFrameEnd : nil)
        }
    }

    private func read() throws(MediaError) -> SampleBuffer? {
        if let next = last.next(output.copyNextSampleBuffer) {
            let sample = heldFrame?.place(next) ?? next
            return shift == .zero ? sample : sample.at(sample.presentationTime + shift)
        }
        switch reader.status {
        case .failed: throw reader.error ?? MediaError(.ioFailure, "cannot read the asset", reason: "the reader failed")
        case .cancelled: throw Transcode.cancellation
        case .unknown, .reading, .completed: return nil
        }
    }

    func restart(_ ranges: [TimeRange]) throws(MediaError) {
        let inside = ranges.map { $0.intersection(range) }.filter { !$0.isEmpty }
        do throws(MediaError) {
            try output.reset(forReadingTimeRanges: inside)
        } catch {
            // If another output has failed the reader meanwhile, that error is the cause.
            throw reader.error ?? error
        }
        preparation = try Self.preparation(steps, range)
        last.restart()
        isAtEnd = false
    }

    func cancel() { reader.cancel(waits: false) }

    var lastFrameEnd: MediaTime? {
        guard let holdLimit else { return nil }
        return output.core.lastFrameEnd.map { min($0, holdLimit) }
    }
}
