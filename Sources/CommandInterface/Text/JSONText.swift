import FileSystem
package import Foundation

/// The one way in which this program writes JSON: sorted keys, plain slashes, one line.
package enum JSONText {
    package static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// A byte of a file name that is not UTF-8 is one private-use character (`PathText`), which is escaped here: standard
    /// output writes such a character as the byte, and JSON is UTF-8.
    ///
    /// Values of this package always encode: no key is twice there, no number is infinite.
    package static func line(_ value: some Encodable) -> String {
        let text = (try? data(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        return PathText.replacingBytes(in: text) { "\\udbff\\ude" + String($0, radix: 16) }
    }
}
