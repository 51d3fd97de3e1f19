import CoreGraphics

/// The families and the style that the name of a font requests.
///
/// Programs for Apple's systems use PostScript names (“HelveticaNeue-BoldItalic”, “ArialMT”), full names (“Helvetica
/// Neue Bold”) and names of families. Fontconfig decides which installed font is nearest.
struct FontName: Sendable, Hashable {
    /// The families, the preferred one first. The last one is a generic name that fontconfig knows.
    var families: [String]
    /// A number from 100 to 900, as in CSS.
    var weight: Int32 = 400
    var isItalic = false
    var isCondensed = false

    static let sansSerif = "sans-serif"
    static let monospace = "monospace"

    init(families: [String], weight: Int32 = 400) {
        self.families = families
        self.weight = weight
    }

    init(_ name: String) {
        families = []
        // Pango would treat a comma as a separator between families.
        var family = String(name.map { $0 == "," || $0 == "\0" ? " " : $0 })
        if let hyphen = family.lastIndex(of: "-"),
            add(style: family[family.index(after: hyphen)...], Self.unmistakable + Self.others)
        {
            family = String(family[..<hyphen])
        }
        var words = family.split(separator: " ")
        while words.count > 1, let last = words.last, add(style: last, Self.unmistakable) { words.removeLast() }
        family = words.joined(separator: " ")
        for ending in ["PSMT", "MT", "PS"] where words.count == 1 && family.hasSuffix(ending) {
            family = String(family.dropLast(ending.count))
            break
        }
        let isSystem = family.hasPrefix(".") || family.isEmpty || family.hasPrefix("SF") || family == "system-ui"
        if !isSystem {
            families.append(family)
            let separated = Self.separated(family)
            if separated != family { families.append(separated) }
        }
        families.append(Self.generic(family))
    }

    /// The family that a program must name to get the same font.
    var family: String { families.first ?? Self.sansSerif }

    /// Reads the style, such as weight and slant, from a text such as “BoldItalicMT”. Returns false if the text
    /// contains anything else.
    private mutating func add(style: Substring, _ known: [Style]) -> Bool {
        var rest = Substring(style.lowercased())
        var result = self
        guard !rest.isEmpty else { return false }
        while !rest.isEmpty {
            guard let style = known.first(where: { rest.hasPrefix($0.word) }) else { return false }
            rest = rest.dropFirst(style.word.count)
            if let weight = style.weight { result.weight = weight }
            if style.isItalic { result.isItalic = true }
            if style.isCondensed { result.isCondensed = true }
        }
        self = result
        return true
    }

    private struct Style {
        let word: String
        var weight: Int32?
        var isItalic = false
        var isCondensed = false
    }

    /// Words that, at the end of a name, always describe the style and never belong to the family's name. In the list,
    /// a word comes after longer words that begin with it.
    private static let unmistakable: [Style] = [
        Style(word: "ultralight", weight: 200), Style(word: "extralight", weight: 200),
        Style(word: "semibold", weight: 600), Style(word: "demibold", weight: 600),
        Style(word: "extrabold", weight: 800), Style(word: "ultrabold", weight: 800),
        Style(word: "thin", weight: 100), Style(word: "light", weight: 300), Style(word: "medium", weight: 500),
        Style(word: "bold", weight: 700), Style(word: "heavy", weight: 800), Style(word: "black", weight: 900),
        Style(word: "regular", weight: 400), Style(word: "italic", isItalic: true),
        Style(word: "oblique", isItalic: true), Style(word: "condensed", isCondensed: true),
    ]

    /// Words that describe the style only after a hyphen.
    private static let others: [Style] = [
        Style(word: "demi", weight: 600), Style(word: "book", weight: 400), Style(word: "roman", weight: 400),
        Style(word: "normal", weight: 400), Style(word: "it", isItalic: true), Style(word: "cond", isCondensed: true),
        Style(word: "psmt"), Style(word: "mt"), Style(word: "ps"), Style(word: " "),
    ]

    /// Returns “Helvetica Neue” for “HelveticaNeue”.
    private static func separated(_ family: String) -> String {
        var result = ""
        for character in family {
            if character.isUppercase, result.last?.isLowercase == true { result.append(" ") }
            result.append(character)
        }
        return result
    }

    /// Returns the generic family that is used if a family is not installed.
    private static func generic(_ family: String) -> String {
        let name = family.lowercased()
        func names(_ parts: [String]) -> Bool { parts.contains { name.contains($0) } }
        if names(["mono", "menlo", "monaco", "courier", "consol", "typewriter"]) { return monospace }
        if names(["sans"]) { return sansSerif }
        let serif = ["times", "georgia", "serif", "palatino", "garamond", "baskerville", "didot", "bodoni", "cochin"]
        return names(serif) || name == "newyork" || name == "new york" ? "serif" : sansSerif
    }
}
