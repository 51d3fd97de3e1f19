/// What the page knows of a recording file: what the file says of itself, kept so that it need not be read again.
package struct IndexedRecording: Sendable, Hashable, Codable {
    /// A chapter that somebody put.
    package struct Mark: Sendable, Hashable, Codable {
        /// Seconds from the movie's beginning.
        package var time: Double
        package var title: String

        package init(time: Double, title: String) { (self.time, self.title) = (time, title) }
    }

    /// What became of one track's samples.
    package struct Ledger: Sendable, Hashable, Codable {
        /// `video` or `audio`.
        package var track: String
        package var captured: Int64
        package var written: Int64
        /// By cause, as in a recorder's status.
        package var dropped: [String: Int64]

        package init(track: String, captured: Int64, written: Int64, dropped: [String: Int64]) {
            (self.track, self.captured, self.written, self.dropped) = (track, captured, written, dropped)
        }
    }

    /// The index's own number for it; that of a file that was replaced by another is not given again.
    package var id: Int64
    /// The recorder's name, as the file says.
    package var recorder: String
    /// Absolute.
    package var path: String
    /// Seconds since 1970 at time 0 of the movie.
    package var begin: Double
    /// Seconds that the movie lasts: of one that is being recorded, until its newest whole fragment at the last look.
    package var duration: Double
    package var bytes: Int64
    package var width: Int?
    package var height: Int?
    package var hasPicture: Bool
    package var hasSound: Bool
    /// It is being recorded: its name still ends in `.recording.mov`.
    package var isGrowing: Bool
    package var marks: [Mark]
    /// nil where the file does not say.
    package var ledger: [Ledger]?
    /// Why it ended (`RecordingEnding`); nil where nobody wrote it down.
    package var ending: String?

    /// Seconds since 1970.
    package var end: Double { begin + duration }

    package init(
        id: Int64, recorder: String, path: String, begin: Double, duration: Double, bytes: Int64, width: Int? = nil,
        height: Int? = nil, hasPicture: Bool = true, hasSound: Bool = true, isGrowing: Bool = false,
        marks: [Mark] = [], ledger: [Ledger]? = nil, ending: String? = nil
    ) {
        self.id = id
        self.recorder = recorder
        self.path = path
        self.begin = begin
        self.duration = duration
        self.bytes = bytes
        self.width = width
        self.height = height
        self.hasPicture = hasPicture
        self.hasSound = hasSound
        self.isGrowing = isGrowing
        self.marks = marks
        self.ledger = ledger
        self.ending = ending
    }
}
