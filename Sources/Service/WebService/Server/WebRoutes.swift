import HTTPTypes
import Hummingbird
import MediaTypes
import NIOCore
import RecorderControl

/// The routes: the handler of each request and the right that it needs.
struct WebRoutes: Sendable {
    typealias Handler = @Sendable (WebRequest) async throws -> Response

    /// The right that a request needs.
    enum Right: Sendable { case anybody, viewer, `operator` }

    struct Route: Sendable {
        let method: HTTPRequest.Method
        /// The path; `{name}` matches any segment.
        let pattern: [Substring]
        let right: Right
        let handler: Handler

        init(_ method: HTTPRequest.Method, _ path: String, _ right: Right, _ handler: @escaping Handler) {
            self.method = method
            pattern = path.split(separator: "/")
            self.right = right
            self.handler = handler
        }

        /// Returns the segments that match the pattern's names; nil for another path.
        func match(_ segments: [Substring]) -> [String: String]? {
            guard segments.count == pattern.count else { return nil }
            var names: [String: String] = [:]
            for (part, segment) in zip(pattern, segments) {
                if part.hasPrefix("{") {
                    names[String(part.dropFirst().dropLast())] = String(segment)
                } else if part != segment {
                    return nil
                }
            }
            return names
        }
    }

    let routes: [Route]
    let page: PageFiles
    let visitors: Visitors
    let isSecure: Bool
    let trustsProxy: Bool
    let bodyLimit: Int

    /// Answers a request. Never throws: errors become answers too.
    func answer(_ request: Request) async -> Response {
        var response: Response
        do {
            response = try await answerOrThrow(request)
        } catch let error as ControlError {
            response = ErrorPage.isWanted(request.head) ? ErrorPage.answer(error) : ControlAnswer.error(error)
        } catch let error as MediaError {
            var answer = ControlError(error)
            if error.code == .notFound { answer = ControlError(.notFound, answer.body) }
            response = ControlAnswer.error(answer)
        } catch {
            response = ControlAnswer.error(ControlError(.internalServerError, "ioFailure", "cannot answer: \(error)"))
        }
        SecurityHeaders.add(to: &response)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answerOrThrow(_ request: Request) async throws -> Response {
        let path = request.uri.path
        // RFC 9110, 9.3.2: HEAD is GET without the content.
        let method = request.method == .head ? HTTPRequest.Method.get : request.method
        if method == .get, let file = page.files[path == "/" ? "index.html" : String(path.dropFirst("/page/".count))],
            path == "/" || path.hasPrefix("/page/")
        {
            return answer(file, request)
        }
        let segments = path.split(separator: "/", omittingEmptySubsequences: true)
        let matches = matches(segments)
        guard let (route, names) = matches.first(where: { $0.0.method == method }) else {
            guard !matches.isEmpty else {
                throw ControlError(.notFound, "noSuchPath", "cannot answer: unknown path \(path.prefix(80))")
            }
            let allowed = matches.flatMap { $0.0.method == .get ? ["GET", "HEAD"] : [$0.0.method.rawValue] }
            var error = ControlError(
                .methodNotAllowed, "methodNotAllowed",
                "cannot answer: \(path.prefix(80)) supports only \(allowed.joined(separator: ", "))")
            error.allow = allowed.joined(separator: ", ")
            throw error
        }
        var asked = try await WebRequest(
            request, names: names, isSecure: isSecure, trustsProxy: trustsProxy, limit: bodyLimit)
        asked.visitor = visitors.visitor(asked.secret)
        switch (route.right, asked.visitor?.role) {
        case (.anybody, _), (.viewer, .some), (.operator, .operator): break
        case (_, nil):
            throw ControlError(.unauthorized, "notPermitted", "cannot answer: not logged in", wayOut: "log in")
        case (.operator, .viewer):
            throw ControlError.forbidden(
                "cannot do that", "only operators are allowed to", wayOut: "log in as an operator")
        }
        return try await route.handler(asked)
    }

    /// Returns the matching routes. A literal match takes precedence over a named segment.
    private func matches(_ segments: [Substring]) -> [(Route, [String: String])] {
        let all = routes.compactMap { route in route.match(segments).map { (route, $0) } }
        let fewest = all.map(\.1.count).min()
        return all.filter { $0.1.count == fewest }
    }

    private func answer(_ file: PageFiles.File, _ request: Request) -> Response {
        let headers: HTTPFields = [.contentType: file.type, .cacheControl: "no-cache", .eTag: file.tag]
        if request.headers[.ifNoneMatch] == file.tag { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: file.bytes)))
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
