package import MediaTypes

/// The settings of a stamp as users write them.
package enum StampText {
    package static func parse(_ text: String) throws(OptionError) -> StampPattern {
        do throws(StampPattern.Problem) {
            return try StampPattern(text)
        } catch {
            throw OptionError("\(error.reason): \(error.wayOut)")
        }
    }

    package static func parsePlace(_ text: String) throws(OptionError) -> FrameStamp.Place {
        guard let place = FrameStamp.Place(rawValue: text) else {
            let places = FrameStamp.Place.allCases.map(\.rawValue).joined(separator: ", ")
            throw OptionError(text, isNot: "a corner", write: places)
        }
        return place
    }

    /// The smallest and the largest font size in 1/100 percent of the height.
    private static let sizes: ClosedRange<Int64> = 100...2500

    /// Parses a font size in percent. Returns it in 1/100 percent.
    package static func parseSize(_ text: String) throws(OptionError) -> Int {
        guard let number = DecimalText(text), number.places <= 2, let size = number.scaled(by: 100),
            sizes.contains(size)
        else {
            throw OptionError(
                text, isNot: "a font size in percent of the height",
                write: "a number from \(sizes.lowerBound / 100) to \(sizes.upperBound / 100), such as 4 or 2.5")
        }
        return Int(size)
    }

    package static func text(size: Int) -> String {
        let (whole, rest) = size.quotientAndRemainder(dividingBy: 100)
        guard rest > 0 else { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Parses the name of a font family, or the absolute path of a font file.
    package static func parseFont(_ text: String) throws(OptionError) -> String {
        guard !text.isEmpty, text.utf8.count < 4096, !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw OptionError(
                text.filter { !$0.isNewline }, isNot: "a font", write: "a family such as “Noto Sans Mono”, or a path")
        }
        guard text.hasPrefix("/") || !text.contains("/") else {
            throw OptionError("the font “\(text.prefix(80))” is a relative path: write an absolute one")
        }
        return text
    }
}
