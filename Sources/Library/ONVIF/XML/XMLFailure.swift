/// The reason why a document of XML is refused.
package struct XMLFailure: Error, Sendable, Hashable {
    /// The reason in words: "it ends within an element".
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
