import Dispatch
import MediaTypes
import RealTime

/// One track of a tandem: a source, the input that it feeds, and the serial queue on which that happens.
final class Lane: Sendable {
    let input: AssetWriterInput
    let source: OutputLane
    private let queue: DispatchQueue
    /// How far it has come: the latest time that was appended; infinite at the source's end, so that a short track holds
    /// back no count of progress.
    private let reached = Locked(MediaTime.negativeInfinity)
    /// Behind the last sample that was appended; nil before the first.
    private let behind = Locked<MediaTime?>(nil)
    private let end = Locked<(@Sendable (MediaError?) -> Void)?>(nil)

    init(_ input: AssetWriterInput, from source: OutputLane) {
        self.input = input
        self.source = source
        queue = DispatchQueue(label: "recorder.tandem.\(input.mediaType)")
    }

    var time: MediaTime { reached.withLock { $0 } }

    /// Where the media ends that it appended; nil for none.
    var mediaEnd: MediaTime? { behind.withLock { $0 } }

    /// Feeds the input whenever it is ready, until the source ends.
    ///
    /// - Parameter ended: called exactly once, on the lane's queue: with nil at the source's end, with the cause when
    ///   source or input failed or the lane was cancelled.
    func start(ended: @escaping @Sendable (MediaError?) -> Void) {
        end.withLock { $0 = ended }
        do throws(MediaError) {
            if input.canPerformMultiplePasses { try respondToPasses() } else { try feed() }
        } catch {
            queue.async { self.leave(error) }
        }
    }

    /// Ends the lane once what it does right now has ended.
    func cancel() {
        source.cancel()
        queue.async { self.leave(Self.cancelled) }
    }

    private static var cancelled: MediaError {
        MediaError(.cancelled, "cannot export", reason: "it was cancelled")
    }

    private func leave(_ error: MediaError?) {
        if error == nil { reached.withLock { $0 = .positiveInfinity } }
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
                guard let sample = try source.next() else { return atEnd() }
                guard try input.append(sample) else {
                    throw MediaError(
                        .invalidState, "cannot append a sample",
                        reason: "the \(input.mediaType) input took none though it was ready")
                }
                reached.withLock { $0 = max($0, sample.presentationTime) }
                let end = sample.presentationTime + (sample.spokenLength ?? .zero)
                behind.withLock { $0 = max($0 ?? end, end) }
            } catch {
                return leave(error)
            }
        }
        // The last call there will be: nobody comes back for a lane whose input has ended.
        guard input.feed.readiness.value.isOver, !hasLeft else { return }
        leave(
            input.error
                ?? MediaError(
                    .invalidState, "cannot append a sample", reason: "the \(input.mediaType) input has ended early"))
    }
}
