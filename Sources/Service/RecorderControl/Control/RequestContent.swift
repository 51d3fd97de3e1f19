package import Foundation
package import Hummingbird

/// The query and the body of a complete request.
package struct RequestContent: Sendable {
    package let query: [String: String]
    package let body: Data

    /// Reads the rest of a request.
    ///
    /// - Parameter limit: Maximum bytes of the body.
    package init(_ request: Request, limit: Int) async throws(ControlError) {
        var query: [String: String] = [:]
        for (key, value) in request.uri.queryParameters {
            guard query.updateValue(String(value), forKey: String(key)) == nil else {
                throw .badRequest("cannot read the query: “\(key.prefix(80))” occurs twice")
            }
        }
        self.query = query
        do { body = Data(try await request.body.collect(upTo: limit).readableBytesView) } catch {
            throw .badRequest("cannot read the request: its body is incomplete")
        }
    }
}

/// A complete request to one of the HTTP interfaces.
package protocol CompleteRequest: Sendable {
    var content: RequestContent { get }
}

extension CompleteRequest {
    package var query: [String: String] { content.query }

    /// Refuses unknown parameters. Otherwise, the default would silently replace a misspelt parameter.
    package func allowQuery(_ names: String...) throws(ControlError) {
        for name in query.keys.sorted() where !names.contains(name) {
            throw .badRequest("cannot use the query: unknown parameter “\(name.prefix(80))”")
        }
    }

    /// Decodes the body as JSON. An empty body means `{}`.
    ///
    /// - Throws: A description of the error, with the field's name.
    package func fields<Fields: ControlFields>(_ type: Fields.Type = Fields.self) throws(ControlError) -> Fields {
        try allowQuery()
        return try JSONBody.fields(of: content.body)
    }
}
