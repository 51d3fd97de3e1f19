package import Foundation

/// The bodies of requests: JSON objects with known fields only.
package enum JSONBody {
    /// Decodes a body. An empty body means `{}`.
    ///
    /// - Throws: A description of the error, with the field's name.
    package static func fields<Fields: ControlFields>(
        _ type: Fields.Type = Fields.self, of body: Data
    ) throws(ControlError) -> Fields {
        let text = body.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) ? Data("{}".utf8) : body
        do {
            return try JSONDecoder().decode(Strict<Fields>.self, from: text).fields
        } catch let error as ControlError {
            throw error
        } catch let error as DecodingError {
            throw .badRequest("cannot read the body: \(reason(error))")
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
            "“\(context.codingPath.last?.stringValue ?? "")” has an invalid value"
        // One such error is a number that is out of Double's range.
        default: "it is invalid JSON"
        }
    }
}

/// The fields of a request's body.
package protocol ControlFields: Decodable, Sendable {
    static var names: [String] { get }
}

/// Decodes an object with known fields only.
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
            throw ControlError.badRequest("cannot read the body: unknown field “\(unknown.prefix(80))”")
        }
        fields = try Fields(from: decoder)
    }
}
