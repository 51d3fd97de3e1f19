import FileSystem

/// Texts from devices, files and other processes, made safe for a terminal: without control characters.
package enum PlainText {
    /// Returns the text with its line breaks. Any other control character, and any that changes the direction of text,
    /// becomes "\u{FFFD}".
    package static func lines(_ text: String) -> String { cleaned(text) { $0 == "\n" } }

    /// Returns the text as one line.
    package static func line(_ text: String) -> String { cleaned(text) { _ in false } }

    private static func cleaned(_ text: String, keeping isKept: (Unicode.Scalar) -> Bool) -> String {
        // A byte of a file name that is not UTF-8, in the form that a shell accepts in $'…'.
        let text = PathText.replacingBytes(in: text) { "\\x" + String($0, radix: 16) }
        // The usual case.
        guard text.unicodeScalars.contains(where: { isCommand($0) && !isKept($0) }) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { isCommand($0) && !isKept($0) ? "\u{FFFD}" : $0 }))
    }

    /// Returns true for a character that begins a control function of ECMA-48 (C0 and C1) or that reorders the visible
    /// text (UAX #9).
    private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
