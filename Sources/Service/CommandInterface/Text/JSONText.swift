import FileSystem
package import Foundation

/// The JSON format of this program: sorted keys, unescaped slashes, one line.
package enum JSONText {
    package static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Returns a value as one line of JSON.
    ///
    /// `PathText` represents a byte of a file name that is not UTF-8 as one private-use character. That character is
    /// escaped here: standard output would write it as the original byte, but JSON must be UTF-8.
    ///
    /// Encoding a value of this package never fails: no key is repeated, and no number is infinite.
    package static func line(_ value: some Encodable) -> String {
        let text = (try? data(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        return PathText.replacingBytes(in: text) { "\\udbff\\ude" + String($0, radix: 16) }
    }
}
