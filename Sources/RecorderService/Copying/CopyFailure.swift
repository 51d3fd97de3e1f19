package import MediaTypes

/// Why a file was not copied, and whom that concerns.
package struct CopyFailure: Error, Sendable, Hashable {
    package enum Scope: Sendable, Hashable {
        /// The remote: no other file would fare better now.
        case remote
        /// This file alone, as far as anybody knows.
        case file
        /// It changed while it was copied: again, and soon.
        case changed
        /// It is not there any more.
        case gone
        /// Its disk is not there at this moment.
        case away
        /// The copier is to end.
        case stopped
    }

    package let scope: Scope
    package let error: MediaError

    package init(_ scope: Scope, _ error: MediaError) {
        self.scope = scope
        self.error = error
    }

    static let stopped = CopyFailure(.stopped, MediaError(.cancelled, "cannot go on", reason: "the copier ends"))
}
