import Hummingbird
import MediaTypes

/// Maps requests to their handlers.
struct ControlRoutes: Sendable {
    typealias Handler = @Sendable (ControlRequest) async throws -> Response

    private let routes: RequestRoutes<Handler>
    private let limits: ControlLimits

    private init(_ routes: [RequestRoutes<Handler>.Route], limits: ControlLimits) {
        self.routes = RequestRoutes(routes, wayOut: "docs/reference/openapi.yaml lists the paths")
        self.limits = limits
    }

    /// Returns the routes of the read-only socket.
    static func watching(_ operations: ControlOperations, _ live: LiveOperations, limits: ControlLimits)
        -> ControlRoutes
    {
        ControlRoutes(
            [
                .init(.get, "/v1/live", live.live),
                .init(.get, "/v1/status", operations.status),
                .init(.get, "/v1/levels", operations.levels),
                .init(.get, "/v1/snapshot", operations.snapshot),
            ], limits: limits)
    }

    /// Returns the routes of the control socket.
    static func controlling(_ operations: ControlOperations, limits: ControlLimits) -> ControlRoutes {
        ControlRoutes(
            [
                .init(.get, "/v1/status", operations.status),
                .init(.post, "/v1/record", operations.record),
                .init(.post, "/v1/stop", operations.stop),
                .init(.post, "/v1/pause", operations.pause),
                .init(.post, "/v1/resume", operations.resume),
                .init(.post, "/v1/split", operations.split),
                .init(.post, "/v1/save", operations.save),
                .init(.post, "/v1/mark", operations.mark),
                .init(.get, "/v1/snapshot", operations.snapshot),
                .init(.get, "/v1/levels", operations.levels),
                .init(.post, "/v1/reload", operations.reload),
                .init(.get, "/metrics", operations.metrics),
            ], limits: limits)
    }

    /// Answers a request. Never throws: an error becomes an answer.
    ///
    /// - Parameter peer: The client; nil if it has already disconnected.
    func answer(_ request: Request, of peer: ControlPeer?) async -> Response {
        let response: Response
        do {
            let (handler, _) = try routes.handler(of: request)
            let content = try await RequestContent(request, limit: limits.body)
            response = try await handler(ControlRequest(peer: peer ?? .member, content: content))
        } catch let error as ControlError {
            response = ControlAnswer.error(error)
        } catch let error as MediaError {
            response = ControlAnswer.error(ControlError(error))
        } catch {
            response = ControlAnswer.error(ControlError(.internalServerError, "ioFailure", "cannot answer: \(error)"))
        }
        return request.method == .head ? response.createHeadResponse() : response
    }
}
