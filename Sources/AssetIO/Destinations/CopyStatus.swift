package import MediaTypes

/// How one of the two copies of a movie stands.
package struct CopyStatus: Sendable, Equatable {
    package enum Condition: String, Sendable {
        /// Its file is being made.
        case opening
        /// It has what the other has.
        case complete
        /// It takes what comes, and what it lacks is being brought over from the other.
        case behind
        /// Its disk has no room; it goes on when there is some.
        case full
        /// Its disk cannot be written; it goes on when that is back.
        case lost
        /// It was deleted, or its name is somebody else's: nothing more goes there.
        case gone
        /// It is whole and has its name.
        case whole
    }

    package var condition: Condition
    /// Where it is: under its final name once it is whole.
    package var path: String
    /// Bytes of the movie that it does not have, or that may have got lost with its disk.
    package var missing: UInt64 = 0
    /// Why it does not go on.
    package var error: MediaError?

    package init(condition: Condition, path: String, missing: UInt64 = 0, error: MediaError? = nil) {
        (self.condition, self.path, self.missing, self.error) = (condition, path, missing, error)
    }
}
