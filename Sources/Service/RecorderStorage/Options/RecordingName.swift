package import CommandInterface

/// The name of a capture process, its socket, its log and its files.
package struct RecordingName: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// The name of a recorder for which the user gave none.
    package static let standard = RecordingName(unchecked: "default")

    /// Parses a name: at most 48 letters, digits, `-`, `_` and `.`, of which the first is a letter or digit. Such a
    /// name is valid in a file name and a unit name, and fits into the 107 bytes of a socket address.
    package init(parsing text: String) throws(OptionError) {
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            0x30...0x39 ~= byte || 0x61...0x7A ~= byte || 0x41...0x5A ~= byte
        }
        guard let first = text.utf8.first, isAlphanumeric(first), text.utf8.count <= 48,
            text.utf8.allSatisfy({ isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E })
        else {
            throw OptionError(
                text, isNot: "a valid recorder name",
                write: "up to 48 letters, digits, - _ or ., such as front-door")
        }
        self.init(unchecked: text)
    }

    private init(unchecked text: String) { description = text }
}
