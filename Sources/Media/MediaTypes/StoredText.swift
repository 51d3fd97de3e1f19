/// The sample description of a track of subtitles or captions. It is kept unchanged, so that the samples can be passed
/// through without parsing.
package struct StoredText: Sendable, Hashable {
    /// The handler's type: `sbtl`, `subt`, `clcp` or `text`.
    package let handler: FourCharCode
    /// The code of the sample description: `tx3g`, `wvtt`, `c608`, …
    package let code: FourCharCode
    /// The bytes after the code in the sample description.
    package let body: [UInt8]

    package init(handler: FourCharCode, code: FourCharCode, body: [UInt8]) {
        (self.handler, self.code, self.body) = (handler, code, body)
    }

    /// The handlers of tracks that are read or shown as text (QTFF, "Handler Reference Atoms"; ISO/IEC 14496-30; for
    /// `clcp` Apple's "Closed Caption Media").
    package static let handlers: Set<FourCharCode> = ["sbtl", "subt", "clcp", "text"]
}
