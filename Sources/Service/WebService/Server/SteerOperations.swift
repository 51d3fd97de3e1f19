import FileSystem
import Foundation
import Hummingbird
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage

/// The requests with which operators control recorders.
struct SteerOperations: Sendable {
    let watch: RecorderWatch
    let ends: RecorderEnds

    private struct SteerFields: ControlFields {
        static let names = ["title", "last", "ago"]
        let title: String?
        let last: Double?
        let ago: Double?
    }

    private struct Answer: Encodable {
        @OrNull var state: RecordingStatus.State?
        /// The file's name without its directory.
        @OrNull var file: String?
        @OrNull var duration: Double?
        @OrNull var bytes: Int64?

        init(_ status: RecordingStatus) {
            state = status.state
            file = status.file?.lastComponent
            duration = status.duration
            bytes = status.bytes
        }

        init(_ segment: RecordingStatus.Segment) {
            state = nil
            file = segment.file.lastComponent
            duration = segment.duration
            bytes = segment.bytes
        }
    }

    func steer(_ request: WebRequest) async throws -> Response {
        let fields = try request.fields(SteerFields.self)
        guard let action = WatchedRecorder.Action(rawValue: request.names["action"] ?? ""), action != .snapshot,
            action != .acknowledge
        else {
            throw ControlError(
                .notFound, "noSuchPath", "cannot control the recorder: unknown action",
                wayOut: "use record, stop, pause, resume, split, mark or save")
        }
        guard (fields.title == nil && fields.ago == nil) || action == .mark, fields.last == nil || action == .save
        else {
            throw ControlError.badRequest(
                "cannot control the recorder: “title” and “ago” are only for mark, and “last” is only for save")
        }
        let client = try watch.client(request.names["name"] ?? "")
        let answer =
            switch action {
            case .record: Answer(try await client.record())
            case .stop: Answer(try await client.stop())
            case .pause: Answer(try await client.pause())
            case .resume: Answer(try await client.resume())
            case .split: Answer(try await client.split())
            case .mark: Answer(try await client.mark(try Self.title(fields.title), at: try Self.moment(fields.ago)))
            case .save, .snapshot, .acknowledge:
                Answer(try await client.save(last: try Self.duration(fields.last), to: nil))
            }
        return ControlAnswer.json(answer)
    }

    /// Acknowledges that a recorder died or failed, so that it is no longer reported.
    func acknowledge(_ request: WebRequest) async throws -> Response {
        _ = try request.fields(NoFields.self)
        guard let name = try? RecordingName(parsing: request.names["name"] ?? "") else {
            throw ControlError(.notFound, "notFound", "there is no such recorder")
        }
        let ends = ends
        let isCleared = try await DiskCall.run { () throws(MediaError) -> Bool in
            guard ends.end(of: name) != nil else { return false }
            try ends.acknowledge(name)
            return true
        }
        guard isCleared else {
            throw ControlError(
                .conflict, "invalidState",
                "cannot acknowledge \(name): it is running, was stopped, or is already acknowledged")
        }
        return Response(status: .noContent)
    }

    private static func title(_ title: String?) throws(ControlError) -> String {
        guard let title else { throw .badRequest("cannot set a mark: “title” is missing") }
        return title
    }

    /// Returns the time `ago` seconds before now on the monotonic clock, which all recorders of this machine share; nil
    /// without a value.
    private static func moment(_ ago: Double?) throws(ControlError) -> MediaTime? {
        guard let ago else { return nil }
        guard ago >= 0, ago <= 3600 else {
            throw .badRequest("cannot set a mark: “ago” must be from 0 to 3600 seconds")
        }
        return MediaTime(nanoseconds: MonotonicClock().nanoseconds) - MediaTime(seconds: ago)
    }

    private static func duration(_ seconds: Double?) throws(ControlError) -> MediaTime? {
        guard let seconds else { return nil }
        guard seconds >= 0.001, seconds <= 31_536_000 else {
            throw .badRequest("cannot save: “last” must be from 0.001 seconds to a year")
        }
        return MediaTime(seconds: seconds)
    }
}
