/// Somebody who may log in.
package struct Account: Codable, Sendable, Equatable {
    package enum Role: String, Codable, Sendable, CaseIterable {
        /// Looks, finds and takes away.
        case viewer
        /// May also steer and delete.
        case `operator`
    }

    package var name: String
    package var role: Role
    /// As `PasswordHash` makes it.
    package var password: String
    /// Seconds since 1970 at which the password or the role was last set: who logged in before it must do so again.
    package var changed: Double

    package init(name: String, role: Role, password: String, changed: Double) {
        self.name = name
        self.role = role
        self.password = password
        self.changed = changed
    }

    /// A name is one line that a person can type.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.unicodeScalars.allSatisfy { scalar in
                let category = scalar.properties.generalCategory
                return category != .control && category != .format && category != .spaceSeparator
                    && category != .lineSeparator && category != .paragraphSeparator
            }
    }
}
