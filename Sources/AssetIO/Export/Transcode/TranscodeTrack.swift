import Dispatch
import MediaTypes
import RealTime

/// One track of a transcode: a source, the input that it feeds, and the serial queue on which that happens.
final class TranscodeTrack: @unchecked Sendable {
    // Unchecked: `held` is touched on the track's queue alone.
    let input: AssetWriterInput
    let source: TranscodeSource
    private let queue: DispatchQueue
    /// How far it has come: the latest time that was appended; infinite at the source's end, so that a short track holds
    /// back no count of progress.
    private let reached = Locked(MediaTime.negativeInfinity)
    /// Behind the last sample that was appended; nil before the first.
    private let behind = Locked<MediaTime?>(nil)
    private let end = Locked<(@Sendable (MediaError?) -> Void)?>(nil)
    /// Was read, and not taken yet.
    private var held: SampleBuffer?

    init(_ input: AssetWriterInput, from source: TranscodeSource) {
        self.input = input
        self.source = source
        queue = DispatchQueue(label: "recorder.transcode.\(input.mediaType)")
    }

    var time: MediaTime { reached.withLock { $0 } }

    /// Where the media ends that it appended; nil for none.
    var mediaEnd: MediaTime? { behind.withLock { $0 } }

    /// Feeds the input whenever it is ready, until the source ends.
    ///
    /// - Parameter ended: called exactly once, on the track's queue: with nil at the source's end, with the cause when
    ///   source or input failed or the track was cancelled.
    func start(ended: @escaping @Sendable (MediaError?) -> Void) {
        end.withLock { $0 = ended }
        do throws(MediaError) {
            if input.canPerformMultiplePasses { try respondToPasses() } else { try feed() }
        } catch {
            queue.async { self.leave(error) }
        }
    }

    /// Ends the track once what it does right now has ended.
    func cancel() {
        source.cancel()
        queue.async { self.leave(Self.cancelled) }
    }

    private static var cancelled: MediaError {
        MediaError(.cancelled, "cannot export", reason: "it was cancelled")
    }

    private func leave(_ error: MediaError?) {
        if error == nil {
            reached.withLock { $0 = .positiveInfinity }
        } else {
            // An input that is still ready would ask again and again.
            input.feed.endRequest()
        }
        let ended = end.withLock { $0.take() }
        ended?(error)
    }

    private var hasLeft: Bool { end.withLock { $0 == nil } }

    private func feed() throws(MediaError) {
        try input.requestMediaDataWhenReady(on: queue) { [self] in
            pump {
                input.markAsFinished()
                leave(nil)
            }
        }
    }

    /// Every pass asks for ranges of the source; the first gives it from the beginning.
    private func respondToPasses() throws(MediaError) {
        let isFirst = Locked(true)
        try input.respondToEachPassDescription(on: queue) { [self] in
            if let error = input.error { return leave(error) }
            guard let pass = input.currentPassDescription else {
                input.markAsFinished()
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

    /// On the queue: appends while there is room.
    private func pump(atEnd: () -> Void) {
        if let error = input.error { return leave(error) }
        while input.isReadyForMoreMediaData, !hasLeft {
            do throws(MediaError) {
                guard try appendRun() else { return atEnd() }
            } catch {
                return leave(error)
            }
        }
        // The last call there will be: nobody comes back for a track whose input has ended.
        guard input.feed.readiness.value.isOver, !hasLeft else { return }
        leave(
            input.error
                ?? MediaError(
                    .invalidState, "cannot append a sample", reason: "the \(input.mediaType) input has ended early"))
    }

    /// Packets that only move on go half a second at a time: tracks that took turns for each would wake each other 80,000
    /// times in an hour of film.
    private static let run = MediaTime(value: 1, timescale: 2)

    /// - Returns: whether there may be more.
    private func appendRun() throws(MediaError) -> Bool {
        var earlier = held.take()
        if earlier == nil { earlier = try source.next() }
        guard let first = earlier else { return false }
        guard try input.append(first) else {
            throw MediaError(
                .invalidState, "cannot append a sample",
                reason: "the \(input.mediaType) input took none though it was ready")
        }
        var (last, end) = (first.presentationTime, Self.end(of: first))
        while input.outputSettings == nil, last - first.presentationTime < Self.run {
            guard let next = try source.next() else { break }
            guard try input.appendInRun(next) else {
                // There is no room; it comes first when there is.
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
