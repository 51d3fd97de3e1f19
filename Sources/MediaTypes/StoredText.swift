/// What a file says of a track of subtitles or captions: kept as it stands there, so that the samples can pass on without
/// anybody's looking into them.
package struct StoredText: Sendable, Hashable {
    /// The handler's type: `sbtl`, `subt`, `clcp` or `text`.
    package let handler: FourCharCode
    /// The code of the sample description: `tx3g`, `wvtt`, `c608`, …
    package let code: FourCharCode
    /// What follows the code in the sample description.
    package let body: [UInt8]

    package init(handler: FourCharCode, code: FourCharCode, body: [UInt8]) {
        (self.handler, self.code, self.body) = (handler, code, body)
    }

    /// Handlers of what is read or shown as text (QTFF, "Handler Reference Atoms"; ISO/IEC 14496-30; for `clcp` Apple's "Closed
    /// Caption Media").
    package static let handlers: Set<FourCharCode> = ["sbtl", "subt", "clcp", "text"]
}
