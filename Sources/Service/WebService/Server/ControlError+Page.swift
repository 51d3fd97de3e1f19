import MediaTypes
import RecorderControl

extension ControlError {
    /// Converts a failure to an answer for a browser, which must not see directories of this machine.
    static func page(_ error: MediaError) -> ControlError {
        let shown = ControlError(
            MediaError(
                error.code, PublicWords.withoutPaths(error.action), reason: PublicWords.withoutPaths(error.reason),
                underlying: error.underlying, wayOut: PublicWords.withoutPaths(error.wayOut)))
        return (error.code == .notFound ? ControlError(.notFound, shown.body) : shown).onPage
    }

    /// This error, with the name of the page's own description instead of the recorder's.
    var onPage: ControlError {
        let said = body.error
        guard said.wayOut == Self.description("openapi") else { return self }
        var error = ControlError(status, said.code, said.message, wayOut: Self.description("web-openapi"))
        (error.allow, error.retryAfter) = (allow, retryAfter)
        return error
    }
}
