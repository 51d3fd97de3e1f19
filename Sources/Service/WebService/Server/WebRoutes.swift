import HTTPTypes
import Hummingbird
import MediaTypes
import NIOCore
import RecorderControl

/// The routes: the handler of each request and the right that it needs.
struct WebRoutes: Sendable {
    typealias Handler = @Sendable (WebRequest) async throws -> Response

    /// The right that a request needs.
    enum Right: Sendable {
        case anybody, viewer, `operator`

        /// Returns true if a user with this role has the right; nil means that no user is logged in.
        func admits(_ role: UserAccount.Role?) -> Bool {
            switch (self, role) {
            case (.anybody, _), (.viewer, .some), (.operator, .operator): true
            case (_, nil), (.operator, .viewer): false
            }
        }
    }

    /// A handler and the right that it needs.
    struct Operation: Sendable {
        let right: Right
        let handler: Handler
    }

    let routes: RequestRoutes<Operation>
    let page: PageFiles
    let visitors: Visitors
    let isSecure: Bool
    let trustsProxy: Bool
    let bodyLimit: Int

    /// Answers a request. Never throws: an error becomes an answer.
    ///
    /// - Parameters:
    ///   - address: The client's address; nil on a Unix socket.
    ///   - loop: The event loop of the client's connection.
    func answer(_ request: Request, from address: String?, on loop: any EventLoop) async -> Response {
        var response: Response
        do {
            response = try await answerOrThrow(request, from: address, on: loop)
        } catch let error as ControlError {
            let shown = error.onPage
            response = ErrorPage.isWanted(request.head) ? ErrorPage.answer(shown) : ControlAnswer.error(shown)
        } catch let error as MediaError {
            response = ControlAnswer.error(.page(error))
        } catch {
            response = ControlAnswer.error(ControlError(.internalServerError, "ioFailure", "cannot answer: \(error)"))
        }
        SecurityHeaders.add(to: &response)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answerOrThrow(
        _ request: Request, from address: String?, on loop: any EventLoop
    ) async throws -> Response {
        let path = request.uri.path
        let isRead = request.method == .get || request.method == .head
        if isRead, let file = page.files[path == "/" ? "index.html" : String(path.dropFirst("/page/".count))],
            path == "/" || path.hasPrefix("/page/")
        {
            return answer(file, request)
        }
        let (operation, names) = try routes.handler(of: request)
        var asked = try await WebRequest(
            request, names: names, from: address, on: loop, isSecure: isSecure, trustsProxy: trustsProxy,
            limit: bodyLimit)
        let (right, visitors, secret) = (operation.right, visitors, asked.secret)
        asked.visitor = visitors.visitor(secret)
        guard right.admits(asked.visitor?.role) else {
            guard asked.visitor != nil else {
                throw ControlError(.unauthorized, "notPermitted", "cannot answer: not logged in", wayOut: "log in")
            }
            throw ControlError.forbidden(
                "cannot carry out the request", "only operators may do this", wayOut: "log in as an operator")
        }
        asked.isPermitted = { right.admits(visitors.visitor(secret)?.role) }
        return try await operation.handler(asked)
    }

    private func answer(_ file: PageFiles.File, _ request: Request) -> Response {
        let headers: HTTPFields = [.contentType: file.type, .cacheControl: "no-cache", .eTag: file.tag]
        if request.headers[.ifNoneMatch] == file.tag { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: file.content))
    }
}

extension RequestRoutes.Route where Handler == WebRoutes.Operation {
    init(
        _ method: HTTPRequest.Method, _ path: String, _ right: WebRoutes.Right, _ handler: @escaping WebRoutes.Handler
    ) {
        self.init(method, path, WebRoutes.Operation(right: right, handler: handler))
    }
}

/// Security headers, sent with every answer.
private enum SecurityHeaders {
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob: data:",
        "media-src 'self' blob:", "connect-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'self'",
        "frame-ancestors 'none'",
    ].joined(separator: "; ")

    static func add(to response: inout Response) {
        response.headers[.contentSecurityPolicy] = policy
        response.headers[.xContentTypeOptions] = "nosniff"
        for (name, value) in fields { response.headers[name] = value }
    }

    private static let fields: [(HTTPField.Name, String)] = [
        (.init("Referrer-Policy")!, "no-referrer"),
        (.init("Cross-Origin-Opener-Policy")!, "same-origin"),
        (.init("Cross-Origin-Resource-Policy")!, "same-origin"),
        (.init("Permissions-Policy")!, "camera=(), microphone=(), geolocation=()"),
        // Makes a proxy forward the stream without buffering (nginx).
        (.init("X-Accel-Buffering")!, "no"),
    ]
}
