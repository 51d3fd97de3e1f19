/// Text that a person typed for an option and that means nothing, with what would.
public struct OptionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line without a full stop: "“abc” is not a duration: write 90, 1m30s or 00:01:30.5".
    public let description: String

    public init(_ description: String) { self.description = description }

    init(_ text: String, isNot what: String, write examples: String) {
        self.init("“\(text.prefix(80))” is not \(what): write \(examples)")
    }
}
