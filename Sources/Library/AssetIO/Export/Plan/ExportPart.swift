package import Foundation
package import MediaTypes

/// The part of a movie that an export makes: the complete movie, or a part that is joined with the other parts later
/// (`docs/design/decisions/chunks.md`).
///
/// Parts are QuickTime files, whatever container the movie will have. Joined parts of one configuration have the frames,
/// times, tracks and metadata of a complete export.
package enum ExportPart: Sendable, Hashable {
    case whole
    /// The video of one chunk. The part has no other tracks, and no metadata except `partMetadata`.
    ///
    /// - Parameter threads: the number of encoder threads if the settings state none; nil for the encoder's default.
    case frames(TimeRange, threads: Int?)
    /// All encoded audio, over the full length.
    case audio
    /// The complete movie, joined from its parts. The parts are not encoded again. Everything else is as in a complete
    /// export.
    case joined(EncodedParts)
}

/// The separately encoded parts of a movie.
package struct EncodedParts: Sendable, Hashable {
    /// The files of the chunks, in order.
    package var frames: [URL]
    /// The file with the audio; nil if no audio is encoded.
    package var audio: URL?

    package init(frames: [URL] = [], audio: URL? = nil) { (self.frames, self.audio) = (frames, audio) }
}
