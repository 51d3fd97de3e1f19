import CoreGraphics

/// The characters of a text as UTF-8, with the attributes that affect drawing.
struct StyledText: Sendable {
    /// A part of the text in which the attributes are the same.
    struct Style: Sendable {
        let bytes: Range<Int>
        let font: CTFont
        let color: TextColor
        /// The space that is added between letters.
        let kern: Double
        let paragraph: CTParagraphStyle
    }

    /// A part of the text without line breaks.
    struct Paragraph: Sendable {
        var bytes: Range<Int>
        /// The range of the paragraph's characters, including the line break after it, as UTF-16 counts characters.
        var characters: Range<Int>
    }

    private(set) var bytes: [UInt8] = []
    private(set) var styles: [Style] = []
    private(set) var paragraphs: [Paragraph] = []

    /// - Parameters:
    ///   - range: a range of characters inside the text, as UTF-16 counts them.
    ///   - breaksLines: false to ignore line breaks, so that there is only one paragraph.
    init(_ text: NSAttributedString, _ range: Range<Int>, breaksLines: Bool) {
        let units = Array(text.string.utf16)
        let range = range.clamped(to: 0..<min(text.length, units.count))
        var breaks = Breaks(start: range.lowerBound, isUsed: breaksLines)
        var location = range.lowerBound
        while location < range.upperBound {
            var effective = NSRange(location: location, length: 0)
            let attributes = text.attributes(at: location, effectiveRange: &effective)
            let end = min(range.upperBound, max(location + 1, effective.location + effective.length))
            let first = bytes.count
            for scalar in String(decoding: units[location..<end], as: UTF16.self).unicodeScalars {
                breaks.add(scalar, to: &bytes)
            }
            styles.append(Style(first..<bytes.count, attributes))
            location = end
        }
        paragraphs = breaks.paragraphs(endingAt: bytes.count)
    }

    /// Returns the attributes at the index of a byte; nil for an empty text.
    func style(at byte: Int) -> Style? {
        var (low, high) = (0, styles.count)
        while low < high {
            let middle = (low + high) / 2
            if styles[middle].bytes.upperBound <= byte { low = middle + 1 } else { high = middle }
        }
        return low < styles.count ? styles[low] : styles.last
    }

    /// Returns the number of characters in a range of bytes, as UTF-16 counts them.
    func count(_ range: Range<Int>) -> Int { String(decoding: bytes[range], as: UTF8.self).utf16.count }

    /// Finds the ends of paragraphs.
    private struct Breaks {
        private let isUsed: Bool
        private var ended: [Paragraph] = []
        private var start: (byte: Int, character: Int)
        private var character: Int
        private var followsReturn = false

        init(start: Int, isUsed: Bool) {
            self.isUsed = isUsed
            self.start = (0, start)
            character = start
        }

        mutating func add(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
            character += scalar.value > 0xFFFF ? 2 : 1
            let endsPair = scalar == "\n" && followsReturn
            followsReturn = scalar == "\r"
            switch scalar {
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
                // A line break that is ignored becomes a character without width. UTF-16 counts either as one
                // character.
                guard isUsed else { return bytes.append(contentsOf: "\u{200B}".utf8) }
                if endsPair, let last = ended.popLast() {
                    ended.append(Paragraph(bytes: last.bytes, characters: last.characters.lowerBound..<character))
                } else {
                    ended.append(Paragraph(bytes: start.byte..<bytes.count, characters: start.character..<character))
                }
                start = (bytes.count, character)
            // For Pango, a zero byte would end the text, so it becomes a space.
            case "\0": bytes.append(0x20)
            default: bytes.append(contentsOf: String(scalar).utf8)
            }
        }

        /// Returns all paragraphs. A line break at the end does not begin another paragraph.
        func paragraphs(endingAt end: Int) -> [Paragraph] {
            guard end > start.byte else { return ended }
            return ended + [Paragraph(bytes: start.byte..<end, characters: start.character..<character)]
        }
    }
}

extension StyledText.Style {
    fileprivate init(_ bytes: Range<Int>, _ attributes: [NSAttributedString.Key: Any]) {
        func value(_ name: String) -> Any? { attributes[NSAttributedString.Key(name)] }
        let kern = (value(kCTKernAttributeName) as? NSNumber)?.doubleValue ?? 0
        let isContexts = (value(kCTForegroundColorFromContextAttributeName) as? NSNumber)?.boolValue ?? false
        self.bytes = bytes
        font = value(kCTFontAttributeName) as? CTFont ?? .standard
        color = isContexts ? .context : .own(value(kCTForegroundColorAttributeName) as? CGColor ?? .black)
        // The limit is many times the size of a letter. Larger values could exceed the range of Pango's numbers.
        self.kern = kern.isFinite ? min(max(kern, -64 * font.size), 64 * font.size) : 0
        paragraph = value(kCTParagraphStyleAttributeName) as? CTParagraphStyle ?? .standard
    }
}
