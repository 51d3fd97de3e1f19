/// What a camera says about itself in its scopes (ONVIF Core, 7.3.2.2).
package struct DeviceScopes: Sendable, Hashable {
    /// Such as a maker and a model; nil if it has no name.
    package private(set) var name: String?
    package private(set) var hardware: String?
    /// The parts of the location, such as "country/china, garage".
    package private(set) var location: String?

    private static let start = "onvif://www.onvif.org/"
    /// The maximum number of characters of each text.
    private static let mostCharacters = 200

    /// - Parameter scopes: URIs such as `onvif://www.onvif.org/name/Front%20Door`.
    package init(_ scopes: [String]) {
        for scope in scopes where scope.lowercased().hasPrefix(Self.start) {
            let rest = scope.dropFirst(Self.start.count)
            guard let slash = rest.firstIndex(of: "/") else { continue }
            let value = Self.percentDecoded(rest[rest.index(after: slash)...])
            guard !value.isEmpty else { continue }
            switch rest[..<slash].lowercased() {
            case "name": name = Self.joined(name, value)
            case "hardware": hardware = Self.joined(hardware, value)
            case "location": location = Self.joined(location, value)
            default: break
            }
        }
    }

    private static func joined(_ known: String?, _ value: String) -> String {
        guard let known, known != value else { return String(value.prefix(mostCharacters)) }
        return String("\(known), \(value)".prefix(mostCharacters))
    }

    /// Replaces `%20` and the like (RFC 3986, 2.1). What is no such sequence stays as it is.
    private static func percentDecoded(_ text: Substring) -> String {
        var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
