/// Text that a person typed for an option and that means nothing, with what would.
public struct OptionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line without a full stop: "“abc” is not a duration: write 90, 1m30s or 00:01:30.5".
    public let description: String
    /// The keys of the settings that contradict each other; empty when it is about one text.
    public let settings: [String]

    public init(_ description: String, about settings: [String] = []) {
        self.description = description
        self.settings = settings
    }

    init(_ text: String, isNot what: String, write examples: String) {
        self.init("“\(text.prefix(80))” is not \(what): write \(examples)")
    }
}
