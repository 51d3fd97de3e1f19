import Foundation
import Hummingbird
import NIOCore
import RealTime
import RecorderControl
import RecorderStorage

/// The requests of the page that shows all recorders live.
struct WatchOperations: Sendable {
    let watch: RecorderWatch

    private struct RecorderList: Encodable { let recorders: [WatchedRecorder] }

    private struct ChoiceFields: ControlFields {
        static let names = ["recorders", "small"]
        /// The recorders whose main streams are sent.
        let recorders: [String]
        /// The recorders whose sub-streams are sent.
        let small: [String]?
    }

    private struct Hello: Encodable {
        let view: String
        let version = RecorderVersion.text
    }

    /// The maximum number of main streams per page, and also the maximum number of sub-streams.
    private static let most = 256

    func recorders(_ request: WebRequest) async throws -> Response {
        try request.allowQuery()
        return ControlAnswer.json(RecorderList(recorders: await watch.recorders()))
    }

    func watch(_ request: WebRequest) async throws -> Response {
        try request.allowQuery("recorders", "small")
        let (names, small) = (try list("recorders", of: request), try list("small", of: request))
        let watch = watch
        // HEAD must not add a viewer: a viewer is removed when the body ends, and the answer to HEAD has no body.
        guard request.method == .get else { return stream(ResponseBody()) }
        let id = Secret.make()
        guard let viewer = watch.enter(id, choosing: names, small: small) else {
            throw ControlError(
                .serviceUnavailable, "tooMany", "cannot watch: too many viewers", wayOut: "try again later")
        }
        let leaving = Leaving { watch.leave(viewer) }
        let body = ResponseBody { writer in
            defer { withExtendedLifetime(leaving) {} }
            try await writer.write(WatchMessage.make(.hello, Hello(view: id)))
            // Writing waits for the reader. Meanwhile, messages queue in the viewer, up to the viewer's limit.
            // After the end of the session, the next message ends the response: the clock sends one every two seconds.
            while let bytes = await viewer.next() { try await request.write(bytes, to: &writer) }
            try await writer.finish(nil)
        }
        return stream(body)
    }

    private func list(_ field: String, of request: WebRequest) throws(ControlError) -> [String] {
        let text = request.query[field] ?? ""
        let names = text.split(separator: ",").map(String.init)
        guard names.count <= Self.most, text.utf8.count <= Self.most * 49 else { throw Self.tooMany(field) }
        return names
    }

    private static func tooMany(_ field: String) -> ControlError {
        .badRequest("cannot watch: “\(field)” may have at most \(most) names")
    }

    private func stream(_ body: ResponseBody) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/octet-stream", .cacheControl: "no-store"], body: body)
    }

    func choose(_ request: WebRequest) throws -> Response {
        let fields = try request.fields(ChoiceFields.self)
        let small = fields.small ?? []
        guard fields.recorders.count <= Self.most else { throw Self.tooMany("recorders") }
        guard small.count <= Self.most else { throw Self.tooMany("small") }
        guard watch.choose(fields.recorders, small: small, for: request.names["view"] ?? "") else {
            throw ControlError(.notFound, "notFound", "there is no such connection", wayOut: "reconnect")
        }
        return Response(status: .noContent)
    }

    func snapshot(_ request: WebRequest) async throws -> Response {
        try request.allowQuery()
        return ControlAnswer.data(try await watch.snapshot(request.names["name"] ?? ""), type: "image/jpeg")
    }
}

/// Runs an action when the last reference to this object is released, for whatever reason.
private final class Leaving: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    deinit { action() }
}
