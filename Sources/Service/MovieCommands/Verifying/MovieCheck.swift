/// The result of checking a movie: its verdict, and its problems with their positions. A plain value, which encodes to
/// an object of `recorder verify --json`.
package struct MovieCheck: Sendable, Hashable, Codable {
    package enum Verdict: String, Sendable, Hashable, Codable {
        /// The movie is intact: everything that its tables list exists and was decoded, and its drop counts are right.
        case ok = "ok"
        /// A recorder is writing the file now. The part written so far is checked like any other movie.
        case recording
        /// An unfinished recording file; every fragment is complete.
        case unfinished
        /// An unfinished recording file that is truncated in the middle of a fragment, or has lost other fragments.
        case torn
        /// The file is truncated: it ends before its media does.
        case cutOff = "truncated"
        /// A part of the file cannot be decoded, or contradicts another part.
        case damaged
        /// The file is not a movie.
        case notMovie = "notMovie"
    }

    /// One problem.
    package struct Problem: Sendable, Hashable, Codable {
        package enum Kind: String, Sendable, Hashable, Codable {
            /// The file has an invalid structure, or a part of it is missing.
            case structure
            /// The end is missing.
            case cutOff = "truncated"
            /// The file is an unfinished recording, or still being written.
            case unfinished
            /// The header contradicts itself or the rest of the file.
            case tables
            /// Samples are missing or damaged.
            case decoding
            /// Timestamps are duplicated or decrease.
            case times
            /// The decoded counts differ from those in the tables.
            case counts
            /// The drop counts are inconsistent: captured, written and dropped samples do not add up, or do not match
            /// the movie.
            case ledger
            /// A codec cannot be decoded here, so its track is unchecked. If the problem names no track, no track was
            /// checked.
            case notDecoded
        }

        package var kind: Kind
        /// A description of the problem.
        package var what: String
        /// The track's number in the file; nil if the problem affects the entire file.
        package var track: Int?
        /// The position in seconds of the movie; nil if the problem has none.
        package var from: Double?
        /// The end in seconds; nil if unknown, or for a single position.
        package var to: Double?
        /// How to fix the problem; nil if unknown.
        package var wayOut: String?

        /// True if no track was checked. That does not count as damage.
        var isUnchecked: Bool { kind == .notDecoded && track == nil }

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
        /// Decoded frames, or audio frames; 0 if nothing was decoded.
        package var decoded: Int64 = 0
        /// The number of samples in the header's tables; nil without tables.
        package var listed: Int64?
        /// The time from the track's first sample to the end of its last one, in seconds.
        package var duration: Double = 0
        package var channels: Int?
        /// True if all samples went through a decoder. Subtitles, chapters and timecodes have no decoder.
        package var isDecoded = false
    }

    /// The file's path.
    package var file: String
    package var verdict: Verdict
    /// The decoded duration in seconds.
    package var duration: Double = 0
    package var bytes: Int64 = 0
    /// The frames of all video tracks.
    package var frames: Int64 = 0
    /// The channels of the first audio track; 0 without one.
    package var channels = 0
    package var tracks: [Track] = []
    package var problems: [Problem] = []
    /// Facts that are not problems of the file, such as the drops that the recorder counted.
    package var notes: [String] = []

    private enum CodingKeys: String, CodingKey {
        case file, verdict, duration, bytes
        case frames = "frames"
        case channels, tracks, problems, notes
    }

    package var isIntact: Bool { verdict == .ok }

    package init(file: String, verdict: Verdict) {
        self.file = file
        self.verdict = verdict
    }
}
