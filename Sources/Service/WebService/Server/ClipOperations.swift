import Hummingbird
import MediaTypes
import RecorderControl
import RecorderStorage

/// The requests that export a time range of a recorder's recordings as one clip.
struct ClipOperations: Sendable {
    let clips: Clips
    let sending: FileSending

    private struct ClipFields: ControlFields {
        static let names = ["recorder", "from", "to"]
        let recorder: String
        let from: Double
        let to: Double
    }

    func begin(_ request: WebRequest) async throws -> Response {
        let fields = try request.fields(ClipFields.self)
        guard (try? RecordingName(parsing: fields.recorder)) != nil else {
            throw ControlError.badRequest("cannot export the clip: “recorder” is not a valid recorder name")
        }
        guard WebRequest.times.contains(fields.from), WebRequest.times.contains(fields.to), fields.from < fields.to
        else {
            throw ControlError.badRequest("cannot export the clip: “from” and “to” must be times, “from” before “to”")
        }
        return ControlAnswer.json(try await clips.begin(fields.recorder, fields.from...fields.to), status: .accepted)
    }

    func state(_ request: WebRequest) throws -> Response {
        try request.allowQuery()
        guard let clip = clips.clip(request.names["id"] ?? "") else { throw Self.unknown }
        return ControlAnswer.json(clip)
    }

    func file(_ request: WebRequest) throws -> Response {
        try request.allowQuery()
        guard let file = try clips.file(request.names["id"] ?? "") else { throw Self.unknown }
        return sending.answer(file, to: request, isInline: false, try sending.slot())
    }

    func drop(_ request: WebRequest) throws -> Response {
        _ = try request.fields(NoFields.self)
        guard clips.drop(request.names["id"] ?? "") else { throw Self.unknown }
        return Response(status: .noContent)
    }

    private static let unknown = ControlError(
        .notFound, "notFound", "there is no such clip",
        wayOut: "clips are kept for an hour after the last request; export it again")
}
