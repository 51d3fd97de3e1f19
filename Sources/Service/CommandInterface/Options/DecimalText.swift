/// An unsigned decimal number as users write it, kept exact: `12`, `0.5`, `29.97`.
package struct DecimalText {
    /// All digits, including those after the point.
    package let digits: Int64
    /// The number of digits after the point, 0 to 9.
    package let places: Int

    /// Parses a number. Returns nil if the number does not fit, or if the text does not consist of digits with at most
    /// one point between them.
    package init?(_ text: some StringProtocol) {
        var digits: Int64 = 0
        var places: Int?
        var count = 0
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "."):
                guard places == nil, count > 0 else { return nil }
                places = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let (shifted, overflow) = digits.multipliedReportingOverflow(by: 10)
                guard !overflow, shifted <= Int64.max - 9, (places ?? 0) < 9 else { return nil }
                digits = shifted + Int64(character - UInt8(ascii: "0"))
                count += 1
                places = places.map { $0 + 1 }
            default: return nil
            }
        }
        guard count > 0, places != 0 else { return nil }
        self.digits = digits
        self.places = places ?? 0
    }

    /// Ten to the power of `places`.
    package var divisor: Int64 { Self.powerOfTen(places) }

    /// Returns the number times `factor`, rounded down; nil if it does not fit.
    package func scaled(by factor: Int64) -> Int64? {
        Int64(exactly: Int128(digits) * Int128(factor) / Int128(divisor))
    }

    package static func powerOfTen(_ exponent: Int) -> Int64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}
