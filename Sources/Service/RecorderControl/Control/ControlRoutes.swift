import Hummingbird
import MediaTypes

/// Maps requests to their handlers.
struct ControlRoutes: Sendable {
    typealias Handler = @Sendable (ControlRequest) async throws -> Response

    private let table: [String: [HTTPRequest.Method: Handler]]
    private let limits: ControlLimits

    private init(_ table: [String: [HTTPRequest.Method: Handler]], limits: ControlLimits) {
        self.table = table
        self.limits = limits
    }

    /// Returns the routes of the read-only socket.
    static func watching(_ operations: ControlOperations, _ live: LiveOperations, limits: ControlLimits)
        -> ControlRoutes
    {
        ControlRoutes(
            [
                "/v1/live": [.get: live.live],
                "/v1/status": [.get: operations.status],
                "/v1/levels": [.get: operations.levels],
                "/v1/snapshot": [.get: operations.snapshot],
            ], limits: limits)
    }

    /// Returns the routes of the control socket.
    static func controlling(_ operations: ControlOperations, limits: ControlLimits) -> ControlRoutes {
        ControlRoutes(
            [
                "/v1/status": [.get: operations.status],
                "/v1/record": [.post: operations.record],
                "/v1/stop": [.post: operations.stop],
                "/v1/pause": [.post: operations.pause],
                "/v1/resume": [.post: operations.resume],
                "/v1/split": [.post: operations.split],
                "/v1/save": [.post: operations.save],
                "/v1/mark": [.post: operations.mark],
                "/v1/snapshot": [.get: operations.snapshot],
                "/v1/levels": [.get: operations.levels],
                "/v1/reload": [.post: operations.reload],
                "/metrics": [.get: operations.metrics],
            ], limits: limits)
    }

    /// Answers a request. Never fails: errors are answers too.
    ///
    /// - Parameter peer: The client; nil if it has already disconnected.
    func answer(_ request: Request, of peer: ControlPeer?) async -> Response {
        let response: Response
        do {
            let handler = try handler(request)
            response = try await handler(ControlRequest(request, of: peer ?? .member, limit: limits.body))
        } catch let error as ControlError {
            response = ControlAnswer.error(error)
        } catch let error as MediaError {
            response = ControlAnswer.error(ControlError(error))
        } catch {
            response = ControlAnswer.error(ControlError(.internalServerError, "ioFailure", "cannot answer: \(error)"))
        }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func handler(_ request: Request) throws(ControlError) -> Handler {
        guard let methods = table[request.uri.path] else {
            throw ControlError(
                .notFound, "noSuchPath", "cannot answer: unknown path \(request.uri.path.prefix(80))",
                wayOut: "docs/reference/openapi.yaml lists the paths")
        }
        // RFC 9110, 9.3.2: HEAD is GET without the content.
        if let handler = methods[request.method == .head ? .get : request.method] { return handler }
        let allowed = methods.keys.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }.joined(separator: ", ")
        var error = ControlError(
            .methodNotAllowed, "methodNotAllowed", "cannot answer: \(request.uri.path) accepts only \(allowed)",
            wayOut: "use \(allowed)")
        error.allow = allowed
        throw error
    }
}
