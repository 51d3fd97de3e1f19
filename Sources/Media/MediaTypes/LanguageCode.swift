/// Checks the language codes of tracks (ISO 639-2/T, BCP 47).
public enum LanguageCode {
    /// Returns true for a code in the form of ISO 639-2/T: three lower-case letters. Returns false for the twenty codes
    /// that only ISO 639-2/B uses. The function does not check whether a code is assigned to a language, because the
    /// list of codes grows.
    public static func isValid(_ code: String) -> Bool { refusal(of: code) == nil }

    /// Returns the reason why a code is refused, and how to fix it; nil for a valid code.
    public static func refusal(of code: String) -> MediaError? {
        let letters = code.utf8
        if letters.count == 3, letters.allSatisfy({ (0x61...0x7A).contains($0) }) {
            return terminological[code].map {
                error(code, reason: "it is the bibliographic code (ISO 639-2/B)", wayOut: "write \"\($0)\"")
            }
        }
        return error(
            code, reason: "a language code is three lower-case letters (ISO 639-2/T)",
            wayOut: "write \"eng\" or \"deu\", or \"und\" if it is unknown")
    }

    /// Returns the ISO 639-2/T code for a code from a file, which may use ISO 639-2/B. Returns nil for "undetermined",
    /// and for text that does not have the form of a code.
    public static func terminological(_ code: String) -> String? {
        let code = terminological[code] ?? code
        return code != "und" && isValid(code) ? code : nil
    }

    /// Returns true if a tag has the form of BCP 47 (RFC 5646, 2.1). Such a tag has a language of two to eight letters,
    /// and then parts of one to eight letters and digits, separated by hyphens.
    public static func isValidExtendedTag(_ tag: String) -> Bool {
        let parts = tag.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard let language = parts.first, language.allSatisfy(isLetter), language.count <= 8 else { return false }
        // `x-…` is a private tag: it has no language.
        guard language.count >= 2 || (Array(language) == [0x78] && parts.count > 1) else { return false }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || isDigit($0) }
        }
    }

    private static func error(_ code: String, reason: String, wayOut: String) -> MediaError {
        MediaError(.invalidSettings, "cannot use the language code \"\(code)\"", reason: reason, wayOut: wayOut)
    }

    /// The codes of ISO 639-2/B that differ, each with its ISO 639-2/T code.
    private static let terminological = [
        "alb": "sqi", "arm": "hye", "baq": "eus", "bur": "mya", "chi": "zho", "cze": "ces", "dut": "nld", "fre": "fra",
        "geo": "kat", "ger": "deu", "gre": "ell", "ice": "isl", "mac": "mkd", "mao": "mri", "may": "msa", "per": "fas",
        "rum": "ron", "slo": "slk", "tib": "bod", "wel": "cym",
    ]
}
