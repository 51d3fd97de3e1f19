public import MediaTypes

/// The result of repairing a recording.
///
/// Its JSON encoding is what `recorder repair --json` prints for each recording.
public struct RepairReport: Sendable, Hashable, Codable {
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// The file was in fragments, and is an ordinary movie now.
        case repaired
        /// The file was an ordinary movie already and was not changed.
        case whole
    }

    public struct Track: Sendable, Hashable, Codable {
        public var id: Int
        /// The media type: `video`, `audio`, …
        public var type: String
        /// The number of samples in the movie: frames, audio packets, or audio frames of PCM.
        public var kept: Int64
        /// The number of samples that the fragments list but that are missing, as far as is known.
        public var lost: Int64

        public init(id: Int, type: String, kept: Int64, lost: Int64) {
            self.id = id
            self.type = type
            self.kept = kept
            self.lost = lost
        }
    }

    /// The given path.
    public var source: String
    /// The present path of the movie.
    public var file: String
    public var outcome: Outcome
    /// The duration of the movie in seconds.
    public var duration: Double?
    /// True if the file ended in the middle of a fragment, or in bytes that are not a fragment.
    public var wasTorn: Bool
    /// The number of unidentified bytes, at the file's end or in damaged places. They stay in the file unless they are
    /// known to be unusable.
    public var abandonedBytes: Int64
    /// True if the file was damaged between its fragments, not only truncated.
    public var wasDamaged: Bool
    /// The gaps between the kept media.
    public var missing: [MissingRange]
    public var tracks: [Track]
    /// A remark for the owner, such as a name that was taken; nil for none.
    public var note: String?

    public init(
        source: String, file: String, outcome: Outcome, duration: Double?, wasTorn: Bool, abandonedBytes: Int64,
        wasDamaged: Bool = false, missing: [MissingRange] = [], tracks: [Track], note: String? = nil
    ) {
        self.source = source
        self.file = file
        self.outcome = outcome
        self.duration = duration
        self.wasTorn = wasTorn
        self.abandonedBytes = abandonedBytes
        self.wasDamaged = wasDamaged
        self.missing = missing
        self.tracks = tracks
        self.note = note
    }
}
