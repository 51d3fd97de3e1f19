/// The description of a camera's streams (SDP: RFC 8866, formerly RFC 4566).
///
/// An unusual description is used as far as possible. `complaints` lists the parts that are not used.
package struct SessionDescription: Sendable, Hashable {
    /// The maximum number of streams; further ones are ignored.
    package static let mostMedia = 32

    /// The name of the session: often the camera's model.
    package var name = ""
    /// The control attribute of the complete session; nil if there is none.
    package var control: String?
    /// The time range, such as `npt=0-`; nil if not specified.
    package var range: String?
    package var media: [MediaDescription] = []
    /// The parts that could not be used, in words for the log.
    package var complaints: [String] = []

    package init() {}

    /// Parses a description. Never fails: a text that is not a description has no media.
    package init(_ bytes: [UInt8]) {
        var parser = SessionDescriptionParser()
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) { parser.take(line) }
        self = parser.finish()
    }
}
