package import CommandInterface

/// The choice of what `recorder keep` keeps if a time range is given.
package enum RangeKeeping: String, Sendable, Hashable, CaseIterable {
    /// The files that the range touches, as a whole.
    case files
    /// A clip of exactly the range. The files are kept until it is complete.
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
