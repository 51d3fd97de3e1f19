/// What looking through a film came to: whether it is sound, and what is wrong where. A plain value, which encodes to an object of
/// `recorder verify --json`.
package struct FilmVerification: Sendable, Hashable, Codable {
    package enum Verdict: String, Sendable, Hashable, Codable {
        /// Everything that its tables list is there and was decoded, and its account is right.
        case sound
        /// Somebody is writing it now. What is there so far is told like any other.
        case recording
        /// A recording that was not finished; every fragment is whole.
        case unfinished
        /// A recording that was not finished and ends in the middle of a fragment, or has lost others.
        case torn
        /// It ends before its media does.
        case cutOff
        /// Something in it cannot be decoded, or contradicts something else.
        case damaged
        /// No film at all.
        case noFilm
    }

    /// One thing that is wrong.
    package struct Problem: Sendable, Hashable, Codable {
        package enum Kind: String, Sendable, Hashable, Codable {
            /// The file is no film, or its parts do not follow each other.
            case structure
            /// It ends too early.
            case cutOff
            /// A recording that nobody finished, or not yet.
            case unfinished
            /// The header contradicts itself, or the file.
            case tables
            /// Samples that are not there, or are not what they should be.
            case decoding
            /// Times that come twice or step back.
            case times
            /// Other than the tables say came out.
            case counts
            /// Captured, written and dropped do not add up, or do not fit the film.
            case ledger
            /// A codec that cannot be decoded here: nothing is known.
            case notDecoded
        }

        package var kind: Kind
        /// In words.
        package var what: String
        /// Its number in the file; nil for what concerns all of it.
        package var track: Int?
        /// Seconds of film; nil where it has no place.
        package var from: Double?
        /// nil where nobody knows, or for a single place.
        package var to: Double?
        /// What to do about it, where anything can be done.
        package var wayOut: String?

        package init(
            _ kind: Kind, _ what: String, track: Int? = nil, from: Double? = nil, to: Double? = nil,
            wayOut: String? = nil
        ) {
            (self.kind, self.what, self.track) = (kind, what, track)
            (self.from, self.to, self.wayOut) = (from, to, wayOut)
        }
    }

    package struct Track: Sendable, Hashable, Codable {
        package var id: Int
        /// `video`, `audio`, `text`, …
        package var type: String
        package var codec: String
        /// Pictures, or audio frames, that came out of the decoder; 0 where nothing was decoded.
        package var decoded: Int64 = 0
        /// How many samples the header's tables list; nil without tables.
        package var listed: Int64?
        /// Seconds, from its first sample to the end of its last.
        package var duration: Double = 0
        package var channels: Int?
        /// Everything in it went through a decoder. Subtitles, chapters and timecodes have none.
        package var isDecoded = false
    }

    /// Path.
    package var file: String
    package var verdict: Verdict
    /// Seconds of film that were decoded.
    package var duration: Double = 0
    package var bytes: Int64 = 0
    /// Of all tracks with pictures.
    package var pictures: Int64 = 0
    /// Of the first track with sound; 0 without one.
    package var channels = 0
    package var tracks: [Track] = []
    package var problems: [Problem] = []
    /// What is worth knowing and is nobody's fault: what the recorder dropped and said so.
    package var notes: [String] = []

    package var isSound: Bool { verdict == .sound }

    package init(file: String, verdict: Verdict) {
        self.file = file
        self.verdict = verdict
    }
}
