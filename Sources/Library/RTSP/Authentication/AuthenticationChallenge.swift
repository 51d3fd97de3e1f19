/// An authentication method that a server offers in `WWW-Authenticate` (RFC 7235, 4.1).
package struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme as the server wrote it: `Basic`, `Digest`.
    package let scheme: String
    /// Parameters by their names in lower case.
    private var parameters: [String: String] = [:]

    package init(scheme: String, _ parameters: [String: String] = [:]) {
        self.scheme = scheme
        self.parameters = parameters
    }

    package subscript(name: String) -> String? { parameters[name] }

    /// Parses one header, which may contain several challenges.
    ///
    /// Cameras leave out quotes, put spaces around `=` and end with a comma. Text that does not fit this form is
    /// ignored.
    package static func parse(_ header: String) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        var scanner = Scanner(header)
        while let word = scanner.word() {
            if scanner.skipEquals() {
                let value = scanner.value()
                guard !challenges.isEmpty else { continue }
                // If a parameter is repeated, which is not allowed, the first one counts.
                let name = word.lowercased()
                let last = challenges.count - 1
                if challenges[last].parameters[name] == nil { challenges[last].parameters[name] = value }
            } else {
                challenges.append(AuthenticationChallenge(scheme: word))
            }
        }
        return challenges
    }

    /// Reads the words and values of a header, one after the other.
    private struct Scanner {
        private let bytes: [UInt8]
        private var position = 0

        init(_ text: String) { bytes = Array(text.utf8) }

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        private mutating func skip(_ skipped: (UInt8) -> Bool) {
            while let byte = next, skipped(byte) { position += 1 }
        }

        /// Returns the next name; nil at the end.
        mutating func word() -> String? {
            while position < bytes.count {
                skip { [0x20, 0x09, 0x2C].contains($0) }
                let start = position
                skip { ![0x20, 0x09, 0x2C, 0x3D, 0x22].contains($0) }
                if position > start { return String(decoding: bytes[start..<position], as: UTF8.self) }
                // Skip a quote or an equals sign in the wrong place.
                if position < bytes.count { position += 1 }
            }
            return nil
        }

        /// Skips an equals sign and the spaces around it; returns false, and skips nothing, if there is none.
        mutating func skipEquals() -> Bool {
            let start = position
            skip { $0 == 0x20 || $0 == 0x09 }
            guard next == 0x3D else {
                position = start
                return false
            }
            position += 1
            skip { $0 == 0x20 || $0 == 0x09 }
            return true
        }

        /// Returns a value with or without quotes. If the closing quote is missing, the value ends with the header.
        mutating func value() -> String {
            guard next == 0x22 else {
                let start = position
                skip { $0 != 0x2C && $0 != 0x20 && $0 != 0x09 }
                return String(decoding: bytes[start..<position], as: UTF8.self)
            }
            position += 1
            var value: [UInt8] = []
            while let byte = next, byte != 0x22 {
                position += 1
                if byte == 0x5C, let escaped = next {
                    value.append(escaped)
                    position += 1
                } else {
                    value.append(byte)
                }
            }
            position += 1
            return String(decoding: value, as: UTF8.self)
        }
    }
}
