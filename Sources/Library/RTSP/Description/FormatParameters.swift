/// The parameters of a payload format: the attribute `fmtp` (RFC 8866, 6.15). Names are compared without regard to case.
package struct FormatParameters: Sendable, Hashable {
    private var values: [String: String] = [:]

    package init() {}

    /// Parses `name=value; name=value`, with or without spaces. Values may contain `=`, as in Base64.
    package init(_ text: Substring) {
        for part in text.split(separator: ";") {
            let (name, value) = part.parted(by: "=") ?? (part, "")
            let key = name.withoutSpaces.lowercased()
            if !key.isEmpty, values[key] == nil { values[key] = String(value.withoutSpaces.withoutQuotes) }
        }
    }

    package subscript(name: String) -> String? { values[name] }

    /// Returns a value as a number; nil if it is missing or not a number.
    package func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }

    package var isEmpty: Bool { values.isEmpty }
}
