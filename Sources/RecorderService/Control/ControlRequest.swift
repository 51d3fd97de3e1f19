import Foundation
import Hummingbird
import MediaTypes

/// One whole request: who asks, its query and the bytes of its body.
struct ControlRequest: Sendable {
    let peer: ControlPeer
    let query: [String: String]
    let body: Data

    init(_ request: Request, of peer: ControlPeer, limit: Int) async throws(ControlError) {
        var query: [String: String] = [:]
        for (key, value) in request.uri.queryParameters {
            guard query.updateValue(String(value), forKey: String(key)) == nil else {
                throw .badRequest("cannot read the query: “\(key.prefix(80))” is there twice")
            }
        }
        self.peer = peer
        self.query = query
        do {
            body = Data(try await request.body.collect(upTo: limit).readableBytesView)
        } catch {
            throw .badRequest("cannot read the request: its body did not come whole")
        }
    }

    /// Refuses parameters that mean nothing here: a word that is misspelt must not be taken for its default.
    func allowQuery(_ names: String...) throws(ControlError) {
        for name in query.keys.sorted() where !names.contains(name) {
            throw .badRequest("cannot use the query: there is no parameter “\(name.prefix(80))”")
        }
    }

    /// The body as JSON. An empty one is as good as `{}`.
    ///
    /// - Throws: what is wrong with it, with the field's name.
    func fields<Fields: ControlFields>(_ type: Fields.Type = Fields.self) throws(ControlError) -> Fields {
        try allowQuery()
        let text = body.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) ? Data("{}".utf8) : body
        do {
            return try JSONDecoder().decode(Strict<Fields>.self, from: text).fields
        } catch let error as ControlError {
            throw error
        } catch let error as DecodingError {
            throw .badRequest("cannot read the body: \(Self.reason(error))")
        } catch {
            throw .badRequest("cannot read the body: it is not JSON")
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context) where context.codingPath.isEmpty: "it is not a JSON object"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "“\(context.codingPath.last?.stringValue ?? "")” has a value of the wrong type"
        case .keyNotFound(let key, _): "“\(key.stringValue)” is missing"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "“\(context.codingPath.last?.stringValue ?? "")” has a value that cannot be used"
        // A number that no Double holds ends here too.
        default: "it is not JSON that can be used"
        }
    }
}

/// What may stand in the body of a request.
protocol ControlFields: Decodable, Sendable {
    static var names: [String] { get }
}

/// Decodes an object that has no fields but those that mean something.
private struct Strict<Fields: ControlFields>: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let fields: Fields

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
        if let unknown = keys.sorted().first(where: { !Fields.names.contains($0) }) {
            throw ControlError.badRequest("cannot read the body: there is no field “\(unknown.prefix(80))”")
        }
        fields = try Fields(from: decoder)
    }
}
