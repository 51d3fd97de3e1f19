package import Hummingbird

/// The routes of an HTTP interface: the handler of each method and path.
///
/// Hummingbird's router is not used, because it would answer 404 to a known path with an unsupported method, and would
/// accept additional slashes.
package struct RequestRoutes<Handler: Sendable>: Sendable {
    package struct Route: Sendable {
        fileprivate let method: HTTPRequest.Method
        /// The segments of the path; `{name}` matches any segment that is not empty.
        private let pattern: [Substring]
        fileprivate let handler: Handler

        package init(_ method: HTTPRequest.Method, _ path: String, _ handler: Handler) {
            self.method = method
            pattern = path.split(separator: "/", omittingEmptySubsequences: false)
            self.handler = handler
        }

        /// Returns the segments that match the pattern's names; nil if the path does not match the pattern.
        fileprivate func match(_ segments: [Substring]) -> [String: String]? {
            guard segments.count == pattern.count else { return nil }
            var names: [String: String] = [:]
            for (part, segment) in zip(pattern, segments) {
                if part.hasPrefix("{"), !segment.isEmpty {
                    names[String(part.dropFirst().dropLast())] = String(segment)
                } else if part != segment {
                    return nil
                }
            }
            return names
        }
    }

    private let routes: [Route]
    private let wayOut: String

    /// Creates the routes.
    ///
    /// - Parameter wayOut: The advice to a client that requested an unknown path.
    package init(_ routes: [Route], wayOut: String = "") { (self.routes, self.wayOut) = (routes, wayOut) }

    /// Returns the handler of a request, and the segments that match the names in its path. A literal match takes
    /// precedence over a named segment.
    ///
    /// - Throws: 404 for an unknown path; 405 for a method that the path does not support.
    package func handler(of request: Request) throws(ControlError) -> (handler: Handler, names: [String: String]) {
        let path = request.uri.path
        // RFC 9110, 9.3.2: HEAD is GET without the content.
        let method = request.method == .head ? HTTPRequest.Method.get : request.method
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let all = routes.compactMap { route in route.match(segments).map { (route: route, names: $0) } }
        let fewest = all.map(\.names.count).min()
        let matches = all.filter { $0.names.count == fewest }
        if let match = matches.first(where: { $0.route.method == method }) { return (match.route.handler, match.names) }
        guard !matches.isEmpty else {
            throw ControlError(
                .notFound, "noSuchPath", "cannot answer: unknown path \(path.prefix(80))", wayOut: wayOut)
        }
        let allowed = matches.flatMap { $0.route.method == .get ? ["GET", "HEAD"] : [$0.route.method.rawValue] }
            .joined(separator: ", ")
        var error = ControlError(
            .methodNotAllowed, "methodNotAllowed", "cannot answer: \(path.prefix(80)) accepts only \(allowed)",
            wayOut: "use \(allowed)")
        error.allow = allowed
        throw error
    }
}
