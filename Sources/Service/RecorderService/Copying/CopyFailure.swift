package import MediaTypes

/// The reason why a file was not copied, and what it affects.
package struct CopyFailure: Error, Sendable, Hashable {
    package enum Scope: Sendable, Hashable {
        /// The remote failed, so the copier would fail with any other file too.
        case remote
        /// The failure seems to concern only this file.
        case file
        /// The file changed while it was copied. The copier soon copies it again.
        case changed
        /// The file does not exist any more.
        case gone
        /// The file's disk is disconnected.
        case away
        /// The copier is being stopped.
        case stopped
    }

    package let scope: Scope
    package let error: MediaError

    package init(_ scope: Scope, _ error: MediaError) {
        self.scope = scope
        self.error = error
    }

    static let stopped = CopyFailure(
        .stopped, MediaError(.cancelled, "cannot continue copying", reason: "the copy process is ending"))
}
