import MediaTypes
import RealTime
import Testing

@testable import AssetIO

/// Tests of what happens at the end of a track, in which order, with a thread of its own and without one.
@Suite struct TrackPathEndTests {
    enum Cause: Sendable {
        case finished
        case cancelled
        /// The file is lost.
        case failedOutside
        case sampleFailed
        case finishFailed
    }

    private final class Encoder: TrackEncoder {
        private let cause: Cause
        private let events: Locked<[String]>

        init(_ cause: Cause, _ events: Locked<[String]>) {
            self.cause = cause
            self.events = events
        }

        var format: FormatDescription? { FakeTrackEncoder.format }
        var timeScale: Int32 { 1000 }

        func encode(_ sample: SampleBuffer, output: Output) throws(MediaError) {
            guard cause != .sampleFailed else { throw FakeTrackEncoder.failure }
            output(sample, 1)
        }

        func finish(output: Output) throws(MediaError) {
            if cause == .finishFailed { throw FakeTrackEncoder.failure }
        }

        func removeTemporaryFiles() { events.withLock { $0.append("files removed") } }
    }

    private struct Sink: PacketSink {
        let admission: SharedAdmission
        let events: Locked<[String]>

        func accept(_ packet: SampleBuffer, accountsFor count: Int64) {
            admission.recordHandedOn(count)
        }

        func end(at end: MediaTime?) {
            let hasError = admission.error != nil
            events.withLock { $0.append(hasError ? "end with error" : "end") }
        }
    }

    /// Returns the events of a track that ends for a cause, in order.
    private func events(_ cause: Cause, hasThread: Bool) throws -> [String] {
        let events = Locked<[String]>([])
        let admission = SharedAdmission(
            TrackTraits(mediaType: .video, isRealTime: true, isPassthrough: !hasThread))
        let sink = Sink(admission: admission, events: events)
        let path = TrackPath(admission, encoder: Encoder(cause, events), sink: sink)
        path.open(sessionStart: .zero)
        try path.start { error in
            let isCounted = admission.error == error
            events.withLock { $0.append(isCounted ? "failed" : "failed too early") }
        }
        try path.append(
            SampleBuffer(
                format: FakeTrackEncoder.format, content: .data(MediaData([1])), presentationTime: .zero,
                isKeyframe: true))
        switch cause {
        case .finished, .finishFailed: path.markAsFinished()
        case .cancelled: path.cancel()
        case .failedOutside: path.fail(.disk, error: FakeTrackEncoder.failure, isFileLost: true)
        case .sampleFailed: break
        }
        path.join()
        return events.withLock { $0 }
    }

    /// A device may disconnect while another thread starts its track.
    @Test(arguments: [true, false], [true, false])
    func trackPath_endsBeforeItsStart_endsTheSinkAfterThePreparation(hasThread: Bool, isCancelled: Bool) throws {
        let events = Locked<[String]>([])
        let admission = SharedAdmission(
            TrackTraits(mediaType: .video, isRealTime: true, isPassthrough: !hasThread))
        let path = TrackPath(
            admission, encoder: Encoder(.finished, events), sink: Sink(admission: admission, events: events))
        if isCancelled { path.cancel() } else { path.markAsFinished() }
        path.open(sessionStart: .zero)
        #expect(events.withLock { $0 } == [])
        try path.start(after: { events.withLock { $0.append("prepared") } }, failed: { _ in })
        path.join()
        #expect(events.withLock { $0 } == ["prepared", "files removed", "end"])
    }

    @Test(arguments: [true, false]) func trackPath_finishedBeforeItsStart_endsTheSinkOnce(hasThread: Bool) throws {
        let events = Locked<[String]>([])
        let admission = SharedAdmission(
            TrackTraits(mediaType: .video, isRealTime: true, isPassthrough: !hasThread))
        let path = TrackPath(
            admission, encoder: Encoder(.finished, events), sink: Sink(admission: admission, events: events))
        path.markAsFinished()
        try path.start { _ in }
        path.join()
        path.markAsFinished()
        #expect(events.withLock { $0 } == ["files removed", "end"])
    }

    /// A thread reports the failure and then ends the sink. Without one the sink ends first, because the failure is
    /// reported after the lock on the encoder is released.
    @Test(arguments: [Cause.sampleFailed, .finishFailed])
    func trackPath_encoderFails_ordersFailureAndEnd(cause: Cause) throws {
        #expect(try events(cause, hasThread: true) == ["failed", "files removed", "end with error"])
        #expect(try events(cause, hasThread: false) == ["files removed", "end with error", "failed"])
    }

    @Test(arguments: [true, false]) func trackPath_otherEnd_reportsNoFailure(hasThread: Bool) throws {
        #expect(try events(.finished, hasThread: hasThread) == ["files removed", "end"])
        #expect(try events(.cancelled, hasThread: hasThread) == ["files removed", "end"])
        #expect(try events(.failedOutside, hasThread: hasThread) == ["files removed", "end with error"])
    }
}
