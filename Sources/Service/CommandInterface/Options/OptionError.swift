/// Reports an invalid text for an option, with examples of valid text.
package struct OptionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line without a full stop: "“abc” is not a duration: write 90, 1m30s or 00:01:30.5".
    package let description: String
    /// The keys of the settings that contradict each other; empty if the error concerns a single text.
    package let settings: [String]

    package init(_ description: String, about settings: [String] = []) {
        self.description = description
        self.settings = settings
    }

    package init(_ text: String, isNot what: String, write examples: String) {
        self.init("“\(text.prefix(80))” is not \(what): write \(examples)")
    }
}
