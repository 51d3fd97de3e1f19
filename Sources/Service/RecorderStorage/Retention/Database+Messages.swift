package import MediaTypes

extension Database.Failure {
    static let damage: Int32 = 11

    /// Returns the error message for the user.
    package func mediaError(_ action: String, _ path: String) -> MediaError {
        switch code & 0xFF {
        case 5, 6:
            MediaError(
                .busy, action, reason: "another program uses \(path)", underlying: .other("SQLite", code),
                wayOut: "try again")
        case 13:
            MediaError(
                .diskFull, action, reason: "no space left for \(path)", underlying: .other("SQLite", code),
                wayOut: "free some space")
        case 3, 8, 23:
            MediaError(
                .notPermitted, action, reason: "no permission for \(path)", underlying: .other("SQLite", code),
                wayOut: "change its owner to the user who records")
        default:
            MediaError(.ioFailure, action, reason: "\(path): \(description)", underlying: .other("SQLite", code))
        }
    }
}
