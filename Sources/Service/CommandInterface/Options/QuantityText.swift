/// Amounts with a suffix: sizes such as `2G` or `500M`, bit rates such as `6M` or `128k`.
///
/// `k`, `M`, `G` and `T` are powers of 1000, as is usual for disks and bit rates; `Ki`, `Mi`, `Gi` and `Ti` are powers
/// of 1024.
package enum QuantityText {
    /// Parses a size in bytes, at least 1.
    package static func parseSize(_ text: String) throws(OptionError) -> Int64 {
        var number = text[...]
        if number.last == "B" || number.last == "b" { number = number.dropLast() }
        guard let bytes = parse(number), bytes > 0 else {
            throw OptionError(text, isNot: "a size", write: "500M or 2G")
        }
        return bytes
    }

    /// Parses a size that must have a unit. Used for options that delete: a forgotten `G` must not set a limit of a few
    /// bytes.
    package static func parseSizeWithUnit(_ text: String) throws(OptionError) -> Int64 {
        guard DecimalText(text) == nil else {
            throw OptionError(
                "“\(text.prefix(80))” needs a unit, because it decides what is deleted: write 500G or 800M")
        }
        guard let size = try? parseSize(text) else {
            throw OptionError(text, isNot: "a size with a unit", write: "500G or 800M")
        }
        return size
    }

    /// Parses a bit rate in bits per second, from 1000 to 1,000,000,000.
    package static func parseBitRate(_ text: String) throws(OptionError) -> Int {
        guard let bits = parse(text[...]) else { throw OptionError(text, isNot: "a bit rate", write: "6M or 128k") }
        guard (1000...1_000_000_000).contains(bits) else {
            throw OptionError("“\(text)” is not a valid bit rate: write 1k to 1000M (bits per second)")
        }
        return Int(bits)
    }

    /// Returns the shortest text for exactly this number: `2G`, `1500k`, `1234`.
    package static func text(_ count: Int64) -> String {
        let scale = [("T", 1_000_000_000_000), ("G", 1_000_000_000), ("M", 1_000_000), ("k", 1000)].first {
            count >= $0.1 && count % $0.1 == 0
        }
        return scale.map { "\(count / $0.1)\($0.0)" } ?? String(count)
    }

    /// Returns the shortest text that `parseSizeWithUnit` turns into the same size: `2G`, `1500k`, `1234B`.
    package static func sizeWithUnit(_ count: Int64) -> String {
        let text = text(count)
        return text.last?.isNumber == true ? text + "B" : text
    }

    private static let suffixes: [(String, Int64)] = [
        ("Ki", 1 << 10), ("Mi", 1 << 20), ("Gi", 1 << 30), ("Ti", 1 << 40),
        ("k", 1000), ("K", 1000), ("M", 1_000_000), ("G", 1_000_000_000), ("T", 1_000_000_000_000),
    ]

    private static func parse(_ text: Substring) -> Int64? {
        for (suffix, factor) in suffixes where text.hasSuffix(suffix) {
            return DecimalText(text.dropLast(suffix.count))?.scaled(by: factor)
        }
        guard let number = DecimalText(text), number.places == 0 else { return nil }
        return number.digits
    }
}
