/// The text of a stamp with its fields. Fields are those of strftime(3), `%3N` for the digits of the second's fraction,
/// `%{name}` and `%{counter}`. A pure value.
package struct StampPattern: Sendable, Hashable {
    package enum Piece: Sendable, Hashable {
        /// Free text and fields for strftime(3).
        case clock(String)
        /// The first digits of the second's fraction, as GNU date prints them for `%3N`.
        case fraction(digits: Int)
        /// The recorder's name.
        case name
        /// The number of the frame.
        case counter
    }

    /// The reason why a text is not a pattern.
    package struct Problem: Error, Sendable, Hashable {
        package let reason: String
        package let wayOut: String
    }

    package let text: String
    package let pieces: [Piece]

    /// The maximum length of a pattern in bytes.
    package static let most = 200

    package init(_ text: String) throws(Problem) {
        guard !text.isEmpty else { throw Problem(reason: "the stamp is empty", wayOut: Self.example) }
        guard text.utf8.count <= Self.most else {
            throw Problem(reason: "the stamp is too long", wayOut: "write at most \(Self.most) bytes")
        }
        guard !text.unicodeScalars.contains(where: Self.isControl) else {
            throw Problem(reason: "the stamp has line breaks or control characters", wayOut: "write one line")
        }
        var reader = Reader(text)
        while try reader.readNext() {}
        self.text = text
        pieces = reader.pieces
    }

    private static let example = "write “%Y-%m-%d %H:%M:%S.%3N”"

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value || 0x2028...0x2029 ~= scalar.value
    }

    /// Splits a text into pieces.
    private struct Reader {
        private let scalars: [Unicode.Scalar]
        private var position = 0
        private var clock = ""
        private(set) var pieces: [Piece] = []

        init(_ text: String) { scalars = Array(text.unicodeScalars) }

        private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

        /// Reads a character of free text, or a field. Returns false at the end.
        mutating func readNext() throws(Problem) -> Bool {
            guard let scalar = next else {
                append(nil)
                return false
            }
            position += 1
            if scalar == "%" { try readField() } else { clock.unicodeScalars.append(scalar) }
            return true
        }

        private mutating func readField() throws(Problem) {
            let start = position - 1
            if next == "{" { return try readName(start) }
            let flags = take { "_-0^#".unicodeScalars.contains($0) }
            let width = take { "0"..."9" ~= $0 }
            let modifier = take { $0 == "E" || $0 == "O" }
            guard let letter = next else { throw unknown(start) }
            position += 1
            if letter == "N", flags.isEmpty, modifier.isEmpty {
                guard let digits = Int(width), (1...6).contains(digits) else {
                    throw Problem(
                        reason: "“\(text(from: start))” needs a number of digits", wayOut: "write %3N for milliseconds")
                }
                return append(.fraction(digits: digits))
            }
            let isPercent = letter == "%" && position == start + 2
            guard isPercent || Self.letters.contains(letter), width.count <= 2, modifier.count <= 1 else {
                throw unknown(start)
            }
            clock += text(from: start)
        }

        private mutating func readName(_ start: Int) throws(Problem) {
            _ = take { $0 != "}" }
            guard next == "}" else { throw unknown(start) }
            position += 1
            switch text(from: start) {
            case "%{name}": append(.name)
            case "%{counter}": append(.counter)
            default: throw unknown(start)
            }
        }

        /// The fields of glibc's strftime(3) that print no line break and no tab.
        private static let letters = Set("aAbBcCdDeFgGhHIjklmMpPrRsSTuUVwWxXyYzZ".unicodeScalars)

        private mutating func take(_ isPart: (Unicode.Scalar) -> Bool) -> String {
            var part = ""
            while let scalar = next, isPart(scalar) {
                part.unicodeScalars.append(scalar)
                position += 1
            }
            return part
        }

        private func text(from start: Int) -> String {
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars[start..<position])
            return text
        }

        private func unknown(_ start: Int) -> Problem {
            Problem(
                reason: "“\(text(from: start))” is not a field of a stamp",
                wayOut: "write a field of strftime(3), %3N, %{name}, %{counter}, or %% for a percent sign")
        }

        /// Ends the free text, and appends another piece.
        private mutating func append(_ piece: Piece?) {
            if !clock.isEmpty { pieces.append(.clock(clock)) }
            clock = ""
            if let piece { pieces.append(piece) }
        }
    }
}
