import Foundation
import Hummingbird
import MediaTypes

/// One complete request: its client, its query and the bytes of its body.
struct ControlRequest: Sendable {
    let peer: ControlPeer
    let query: [String: String]
    let body: Data

    init(_ request: Request, of peer: ControlPeer, limit: Int) async throws(ControlError) {
        var query: [String: String] = [:]
        for (key, value) in request.uri.queryParameters {
            guard query.updateValue(String(value), forKey: String(key)) == nil else {
                throw .badRequest("cannot read the query: “\(key.prefix(80))” occurs twice")
            }
        }
        self.peer = peer
        self.query = query
        do {
            body = Data(try await request.body.collect(upTo: limit).readableBytesView)
        } catch {
            throw .badRequest("cannot read the request: its body is incomplete")
        }
    }

    /// Refuses unknown parameters: a misspelt one must not be mistaken for its default.
    func allowQuery(_ names: String...) throws(ControlError) {
        for name in query.keys.sorted() where !names.contains(name) {
            throw .badRequest("cannot use the query: unknown parameter “\(name.prefix(80))”")
        }
    }

    /// Decodes the body as JSON. An empty body means `{}`.
    ///
    /// - Throws: A description of the error, with the field's name.
    func fields<Fields: ControlFields>(_ type: Fields.Type = Fields.self) throws(ControlError) -> Fields {
        try allowQuery()
        return try JSONBody.fields(of: body)
    }
}
