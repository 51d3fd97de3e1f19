/// A user name and a password. No description, debug output or error contains them.
package struct Credentials: Sendable, Hashable {
    let user: String
    let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "credentials" }
    package var debugDescription: String { description }
    // Without this mirror, `dump` and the interpolation of a value that contains credentials would print the
    // properties.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
