/// A user who may log in.
package struct UserAccount: Codable, Sendable, Equatable {
    package enum Role: String, Codable, Sendable, CaseIterable {
        /// A viewer may watch, search and export clips.
        case viewer
        /// An operator may also control recorders and delete recordings.
        case `operator`
    }

    package var name: String
    package var role: Role
    /// The hash made by `PasswordHash`.
    package var password: String
    /// The time at which the password or the role was last set, in seconds since 1970.
    package var changed: Double
    /// A random text that `AccountFile` changes each time the account is set. A session is only valid for the edition
    /// with which it began. Times cannot show which came first, because the wall clock may be set back. Nil if an
    /// earlier version set the account.
    package internal(set) var edition: String?

    package init(name: String, role: Role, password: String, changed: Double) {
        self.name = name
        self.role = role
        self.password = password
        self.changed = changed
    }

    /// Returns true if `text` is a valid name: one line that a user can type.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.unicodeScalars.allSatisfy { scalar in
                let category = scalar.properties.generalCategory
                return category != .control && category != .format && category != .spaceSeparator
                    && category != .lineSeparator && category != .paragraphSeparator
            }
    }
}
