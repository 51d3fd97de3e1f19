import FileSystem

/// Texts of devices, files and other processes, for people: without what a terminal obeys.
package enum PlainText {
    /// Lines stay lines; any other control character, and what turns the direction of writing round, becomes "\u{FFFD}".
    package static func lines(_ text: String) -> String { cleaned(text) { $0 == "\n" } }

    /// One line.
    package static func line(_ text: String) -> String { cleaned(text) { _ in false } }

    private static func cleaned(_ text: String, keeping isKept: (Unicode.Scalar) -> Bool) -> String {
        // A byte of a file name that is not UTF-8, as a shell's $'…' takes it.
        let text = PathText.replacingBytes(in: text) { "\\x" + String($0, radix: 16) }
        // Nearly always.
        guard text.unicodeScalars.contains(where: { isCommand($0) && !isKept($0) }) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { isCommand($0) && !isKept($0) ? "\u{FFFD}" : $0 }))
    }

    /// ECMA-48's control functions begin with one of these (C0 and C1); the others reorder what is seen (UAX #9).
    private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
