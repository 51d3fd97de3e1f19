/// The URLs of requests for a session and its streams (RFC 2326, C.1.1).
package struct ControlURL: Sendable, Hashable {
    /// The URL to which relative ones are added, without user and password.
    package let base: String

    /// - Parameters:
    ///   - request: The URL that was described.
    ///   - contentBase: The header `Content-Base` of the response.
    ///   - contentLocation: The header `Content-Location`, used if there is no usable `Content-Base`.
    package init(request: RTSPURL, contentBase: String? = nil, contentLocation: String? = nil) {
        base =
            contentBase.flatMap { Self.absolute($0, request) } ?? contentLocation.flatMap { Self.absolute($0, request) }
            ?? request.description
    }

    /// Returns the absolute URL that a header of the camera states, without user and password; nil if it states neither
    /// a URL nor an absolute path.
    private static func absolute(_ text: String, _ request: RTSPURL) -> String? {
        if let url = RTSPURL.withoutUser(text) { return url }
        let path = text.withoutSpaces
        guard path.first == "/" else { return nil }
        let root = request.description
        return String(root.dropLast(request.path.count)) + path
    }

    /// Returns the URL for a control attribute.
    ///
    /// A relative URL is appended as text, with one slash between, even after a query. RFC 3986 would replace the last
    /// part of the path. But cameras expect that it is kept, and other clients keep it.
    package func resolved(_ control: String?) -> String {
        guard let control = control?.withoutSpaces, !control.isEmpty, control != "*" else { return base }
        if let url = RTSPURL.withoutUser(String(control)) { return url }
        let head = base.last == "/" ? String(base.dropLast()) : base
        return head + (control.first == "/" ? "" : "/") + control
    }
}
