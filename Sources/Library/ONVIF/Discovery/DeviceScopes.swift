import RTSP

/// The facts about a camera that its scopes contain (ONVIF Core, 7.3.2.2).
package struct DeviceScopes: Sendable, Hashable {
    /// The camera's name, for example its maker and model; nil if it has none.
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
            let value = rest[rest.index(after: slash)...].percentDecoded
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
}
