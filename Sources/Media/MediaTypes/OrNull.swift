/// A value that JSON shows as `null` when it is unknown.
///
/// Swift's synthesized encoding omits the keys of unknown values, but scripts expect every key in every answer.
@propertyWrapper
package struct OrNull<Value: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

extension KeyedDecodingContainer {
    /// Decodes the value; the synthesized decoding uses this function. A missing key counts as `null`.
    package func decode<Value>(_ type: OrNull<Value>.Type, forKey key: Key) throws -> OrNull<Value> {
        try decodeIfPresent(type, forKey: key) ?? OrNull(wrappedValue: nil)
    }
}
