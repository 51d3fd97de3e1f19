import Dispatch
import MediaTypes
import RealTime

/// One track of a transcode: a source, the input that it feeds, and the serial queue for both.
final class TranscodeTrack: @unchecked Sendable {
    // Unchecked: `held` is used only on the track's queue.
    let input: AssetWriterInput
    let source: any TranscodeFeed
    private let queue: DispatchQueue
    /// The latest appended time. It is infinite at the source's end, so that a short track does not hold back the
    /// progress.
    private let reached = Locked(MediaTime.negativeInfinity)
    /// The end of the appended media; nil before the first sample.
    private let behind = Locked<MediaTime?>(nil)
    private let end = Locked<(@Sendable (MediaError?) -> Void)?>(nil)
    /// A sample that was read, but not accepted yet.
    private var held: SampleBuffer?

    init(_ input: AssetWriterInput, from source: any TranscodeFeed) {
        self.input = input
        self.source = source
        queue = DispatchQueue(label: "recorder.transcode.\(input.mediaType)")
    }

    var time: MediaTime { reached.withLock { $0 } }

    /// The end of the appended media; nil for none.
    var mediaEnd: MediaTime? { behind.withLock { $0 } }

    /// Feeds the input whenever it is ready, until the source ends.
    ///
    /// - Parameter ended: called exactly once, on the track's queue. Gets nil at the source's end, or the error if the
    ///   source or the input failed or the track was cancelled.
    func start(ended: @escaping @Sendable (MediaError?) -> Void) {
        end.withLock { $0 = ended }
        do throws(MediaError) {
            if input.canPerformMultiplePasses { try respondToPasses() } else { try feed() }
        } catch {
            queue.async { self.leave(error) }
        }
    }

    /// Ends the track after its current operation.
    func cancel() {
        source.cancel()
        queue.async { self.leave(Transcode.cancellation) }
    }

    private func leave(_ error: MediaError?) {
        if error == nil { reached.withLock { $0 = .positiveInfinity } }
        // An input that stays ready would call the block again and again until the writer has ended. On few processors
        // and at a high priority, the writer would then never end.
        input.feed.endRequest()
        let ended = end.withLock { $0.take() }
        ended?(error)
    }

    private var hasLeft: Bool { end.withLock { $0 == nil } }

    private func feed() throws(MediaError) {
        try input.requestMediaDataWhenReady(on: queue) { [self] in
            pump {
                finishInput()
                leave(nil)
            }
        }
    }

    private func finishInput() {
        let end = source.lastFrameEnd
        if let end { behind.withLock { $0 = $0.map { max($0, end) } } }
        input.markAsFinished(lastFrameEnd: end)
    }

    /// Feeds every pass. Each pass requests ranges of the source; the first pass starts from the beginning.
    private func respondToPasses() throws(MediaError) {
        let isFirst = Locked(true)
        try input.respondToEachPassDescription(on: queue) { [self] in
            if let error = input.error { return leave(error) }
            guard let pass = input.currentPassDescription else {
                finishInput()
                return leave(nil)
            }
            do throws(MediaError) {
                if !isFirst.withLock({ $0 }) { try source.restart(pass.sourceTimeRanges) }
                isFirst.withLock { $0 = false }
                try input.requestMediaDataWhenReady(on: queue) { [self] in
                    pump {
                        do throws(MediaError) { try input.markCurrentPassAsFinished() } catch { leave(error) }
                    }
                }
            } catch { leave(error) }
        }
    }

    /// Appends while there is room. Called on the queue.
    private func pump(atEnd: () -> Void) {
        if let error = input.error { return leave(error) }
        while input.isReadyForMoreMediaData, !hasLeft {
            do throws(MediaError) {
                guard try appendRun() else { return atEnd() }
            } catch {
                return leave(error)
            }
        }
        // If the input has ended, this is the last call, so the track must leave now.
        guard input.feed.readiness.value.isOver, !hasLeft else { return }
        leave(
            input.error
                ?? MediaError(
                    .invalidState, "cannot append a sample", reason: "the \(input.mediaType) input ended early"))
    }

    /// The duration of the packets that are appended in one run when they pass through. If tracks alternated for each
    /// packet, they would wake each other 80,000 times per hour of video.
    private static let run = MediaTime(value: 1, timescale: 2)

    /// - Returns: true if there may be more samples.
    private func appendRun() throws(MediaError) -> Bool {
        var earlier = held.take()
        if earlier == nil { earlier = try source.next() }
        guard let first = earlier else { return false }
        guard try input.append(first) else {
            throw MediaError(
                .invalidState, "cannot append a sample",
                reason: "the \(input.mediaType) input refused the sample although the input was ready")
        }
        var (last, end) = (first.presentationTime, Self.end(of: first))
        while input.outputSettings == nil, last - first.presentationTime < Self.run {
            guard let next = try source.next() else { break }
            guard try input.appendInRun(next) else {
                // There is no room. This sample is appended first once there is room again.
                held = next
                break
            }
            last = max(last, next.presentationTime)
            end = max(end, Self.end(of: next))
        }
        reached.withLock { $0 = max($0, last) }
        behind.withLock { $0 = max($0 ?? end, end) }
        return true
    }

    private static func end(of sample: SampleBuffer) -> MediaTime {
        sample.presentationTime + (sample.spokenLength ?? .zero)
    }
}
