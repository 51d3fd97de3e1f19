import Foundation
import Hummingbird
import MediaTypes
import RecorderControl
import RecorderStorage

/// The requests for the recorders' timelines.
struct TimelineOperations: Sendable {
    let index: RecordingIndex
    private let pins: OwnerPins
    private let now: @Sendable () -> Double

    /// Creates the operations.
    ///
    /// - Parameter now: Returns seconds since 1970.
    init(
        _ index: RecordingIndex, pins: OwnerPins,
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        (self.index, self.pins, self.now) = (index, pins, now)
    }

    /// The default and the maximum number of screen points of a timeline.
    private static let (usualPoints, mostPoints) = (1000.0, 4000.0)

    private struct Answer: Encodable {
        let now: Double
        @OrNull var first: Double?
        @OrNull var last: Double?
        let recorders: [Timeline.Line]
        @OrNull var indexing: RecordingIndex.Progress?
    }

    func timeline(_ request: WebRequest) async throws -> Response {
        try request.allowQuery("from", "to", "step", "recorder")
        guard let from = try request.time("from"), let to = try request.time("to"), from < to else {
            throw ControlError.badRequest("cannot show the timeline: “from” and “to” must be times, “from” before “to”")
        }
        let step = try request.number("step", in: 0...31_536_000) ?? (to - from) / Self.usualPoints
        let question = TimelineQuestion(
            range: from...to, step: max(step, (to - from) / Self.mostPoints), recorder: try request.recorder())
        let (index, pins) = (index, pins)
        let found = try await DiskCall.run { () throws(MediaError) in
            let kept = Array(pins.known(of: question.recorder).keys)
            let found = try index.timeline(question, kept: kept)
            guard TimelineActivity.isShown(question) else { return found }
            return found.adding(pins.activity(in: question.range, of: question.recorder), for: question)
        }
        return ControlAnswer.json(
            Answer(
                now: now(), first: found.first, last: found.last, recorders: found.lines, indexing: found.indexing))
    }
}
