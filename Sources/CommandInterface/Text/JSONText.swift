package import Foundation

/// The one way in which this program writes JSON: sorted keys, plain slashes, one line.
package enum JSONText {
    package static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Values of this package always encode: no key is twice there, no number is infinite.
    package static func line(_ value: some Encodable) -> String {
        (try? data(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
