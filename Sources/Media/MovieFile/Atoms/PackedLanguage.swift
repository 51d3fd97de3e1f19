/// A language code as stored in media headers and texts: three letters of five bits each (QTFF, "ISO Language Codes").
enum PackedLanguage {
    /// `und`, undetermined.
    private static let undetermined: UInt16 = 0x55C4

    /// Packs a code. Invalid codes become `und`; callers check the user's input with `LanguageCode` first.
    static func pack(_ code: String) -> UInt16 {
        let letters = Array(code.utf8)
        guard letters.count == 3, letters.allSatisfy({ (0x61...0x7A).contains($0) }) else { return undetermined }
        return letters.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
    }

    /// Unpacks a code. Returns nil for `und`, for a missing code, and for Macintosh's old numbers.
    static func code(_ packed: UInt16) -> String? {
        guard packed >= 0x400, packed != undetermined else { return nil }
        let letters = (0..<3).map { UInt8(truncatingIfNeeded: packed >> (10 - 5 * $0) & 0x1F) + 0x60 }
        return letters.allSatisfy { (0x61...0x7A).contains($0) } ? String(decoding: letters, as: UTF8.self) : nil
    }
}
