package import CommandInterface

/// Selects what `recorder keep` keeps if the user gave a time range.
package enum RangeKeeping: String, Sendable, Hashable, CaseIterable {
    /// All files that overlap the range, completely.
    case files
    /// A clip of exactly the range. The files are kept until the clip is complete.
    case clip
    case both

    package init(parsing text: String) throws(OptionError) {
        guard let value = RangeKeeping(rawValue: text) else {
            throw OptionError(
                text, isNot: "a value of keep-range",
                write: RangeKeeping.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self = value
    }
}
