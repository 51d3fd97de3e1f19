/// The headers of a message in their order. Names are compared without regard to case.
package struct RTSPHeaders: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        package let name: String
        package var value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    /// The value of the first header with this name; nil if there is none.
    package subscript(name: String) -> String? { fields.first { $0.name.isSame(as: name) }?.value }

    /// Returns the values of all headers with this name.
    package func all(_ name: String) -> [String] { fields.filter { $0.name.isSame(as: name) }.map(\.value) }

    package mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Continues the last header, whose value was folded (RFC 2326, 15).
    mutating func continueLast(_ value: some StringProtocol) {
        guard !fields.isEmpty else { return }
        fields[fields.count - 1].value += " " + value
    }
}
