/// The parts of a path, split at the bytes of slashes and dots.
///
/// `NSString` searches for characters instead, and does not find a slash that is followed by a combining mark. Parts
/// never end in a slash or contain two slashes in a row. `PathText` turns each part back into its exact bytes.
extension String {
    /// The last name of a path: `b.mov` for `/a/b.mov`, `a` for `a/`, `/` for the root; empty for an empty path.
    package var lastComponent: String { components.last.map { String($0) } ?? root }

    /// The path without its last name: `/a` for `/a/b.mov`, `/` for the root, empty for a single name.
    package var parentDirectory: String { root + components.dropLast().joined(separator: "/") }

    /// The text after the last dot of the last name: `mov` for `a.b.mov`; empty for `a`, `a.`, `.hidden` and `..`.
    package var fileExtension: String {
        let name = lastComponent
        guard let dot = name.extensionDot else { return "" }
        return String(name[name.utf8.index(after: dot)...])
    }

    /// The path without its extension and the dot before it: `/a.b/c` for `/a.b/c.mov`, and for `/a.b/c.`.
    package var removingExtension: String {
        let path = root + components.joined(separator: "/")
        guard let dot = path.extensionDot else { return path }
        return String(path[..<dot])
    }

    /// Returns this directory's path with a name or a relative path appended. An empty text adds nothing.
    package func appendingComponent(_ component: String) -> String {
        let needsSlash = !isEmpty && !component.isEmpty && utf8.last != Self.slash
        return self + (needsSlash ? "/" : "") + component
    }

    private static let slash = UInt8(ascii: "/")

    /// `/` for an absolute path, empty for a relative one.
    private var root: String { utf8.first == Self.slash ? "/" : "" }

    private var components: [Substring] { utf8.split(separator: Self.slash).map { Substring($0) } }

    /// The dot before the extension of a path that does not end in a slash.
    private var extensionDot: String.Index? {
        let start = utf8.lastIndex(of: Self.slash).map { utf8.index(after: $0) } ?? startIndex
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot > start, !utf8[start...].elementsEqual("..".utf8)
        else { return nil }
        return dot
    }
}
