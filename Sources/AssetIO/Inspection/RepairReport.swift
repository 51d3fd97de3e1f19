public import MediaTypes

/// What repairing a recording came to.
///
/// Encodes to the objects that `recorder repair --json` prints.
public struct RepairReport: Sendable, Hashable, Codable {
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// It was in fragments, and is an ordinary movie now.
        case repaired
        /// It was an ordinary movie already; nothing was changed.
        case whole
    }

    public struct Track: Sendable, Hashable, Codable {
        public var id: Int
        /// `video`, `audio`, …
        public var type: String
        /// Samples in the movie: frames, packets of sound, or frames of PCM.
        public var kept: Int64
        /// Samples that its fragments announced and that were not there, as far as they still tell.
        public var lost: Int64

        public init(id: Int, type: String, kept: Int64, lost: Int64) {
            self.id = id
            self.type = type
            self.kept = kept
            self.lost = lost
        }
    }

    /// The path that was given.
    public var source: String
    /// Where the movie is now.
    public var file: String
    public var outcome: Outcome
    /// Seconds of the movie.
    public var duration: Double?
    /// It ended in the middle of a fragment, or in bytes that are no fragment.
    public var wasTorn: Bool
    /// Bytes of which nobody knows what they are, at its end or in damaged places. They stay in the file, unless they are
    /// provably nothing.
    public var abandonedBytes: Int64
    /// It was damaged between its fragments, not only torn at its end.
    public var wasDamaged: Bool
    /// What is missing between what was kept, and where.
    public var missing: [MissingStretch]
    public var tracks: [Track]
    /// What its owner should know, as a name that was taken; nil for nothing.
    public var note: String?

    public init(
        source: String, file: String, outcome: Outcome, duration: Double?, wasTorn: Bool, abandonedBytes: Int64,
        wasDamaged: Bool = false, missing: [MissingStretch] = [], tracks: [Track], note: String? = nil
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
