import RecorderStorage

/// The certainty that a recorder made a file.
enum RecordingClaim: Int64, Sendable {
    /// Another program made the file, or the file has not been read yet.
    case none = 0
    /// The file's metadata name a recorder. Copies of a recording, and movies derived from it, name the recorder too.
    case own = 1
    /// The recorder's list contains exactly this file, or the file is unfinished.
    case certain = 2
}

/// Decides which files are shown as recordings.
///
/// A recorder writes one file at a time. A file that only claims to be a recording is hidden if a recording that is
/// `certain`, of the same recorder, covers its time. The file is then a copy of that recording, or derived from it.
/// Otherwise the file is shown, because the recorder's list may have been lost.
enum RecordingClaims {
    /// The time that a file covers, and its recorder.
    struct Extent: Sendable, Equatable {
        let number: Int64
        let recorder: String
        let begin: Double
        let end: Double
        let claim: RecordingClaim

        /// Returns true if two files share more than half of the time of the shorter file. Consecutive files overlap a
        /// little if a clock was set.
        func covers(_ other: Extent) -> Bool {
            let shared = min(end, other.end) - max(begin, other.begin)
            return shared > min(end - begin, other.end - other.begin) / 2 && shared > 0
        }

        fileprivate init(_ row: Database.Row) {
            (number, recorder) = (row.integer(0), row.text(1))
            (begin, end) = (row.real(2), row.real(3))
            claim = RecordingClaim(rawValue: row.integer(4)) ?? .none
        }
    }

    private static let columns = #"id, recorder, begin, "end", claim"#

    /// The SQL statement that finds the files of a recorder that overlap a time range. The longest file's duration
    /// limits how long before the range such a file may begin.
    static let overlapping = """
        SELECT \(columns) FROM recording INDEXED BY recording_claim
        WHERE recorder = ?1 AND claim = ?2 AND begin >= ?3 - ?5 AND begin < ?4 AND "end" > ?3
        """
    static let longest = """
        SELECT "end" - begin FROM recording INDEXED BY recording_length
        WHERE recorder = ?1 AND claim = ?2 ORDER BY "end" - begin DESC LIMIT 1
        """

    /// Finds a row by the SQL condition `words`, which contains one parameter.
    static func extent(
        _ words: String, _ value: Database.Value, in database: Database
    ) throws(Database.Failure) -> Extent? {
        var found: Extent?
        try database.run("SELECT \(columns) FROM recording WHERE \(words)", [value]) { row in
            found = Extent(row)
            return false
        }
        return found
    }

    /// Shows or hides a changed row. Does the same for the rows that overlap it now, or overlapped it before the
    /// change.
    ///
    /// - Parameter before: The row before its change; nil if the row is new.
    static func settle(_ number: Int64, since before: Extent?, in database: Database) throws(Database.Failure) {
        let now = try extent("id = ?", .integer(number), in: database)
        if let now, now.claim == .own { try show(now, in: database) }
        guard before != now else { return }
        for extent in [before, now] {
            guard let extent, extent.claim == .certain else { continue }
            var others: [Extent] = []
            try find(overlapping: extent, .own, in: database) { other in
                if other.number != number { others.append(other) }
                return true
            }
            for other in others { try show(other, in: database) }
        }
    }

    /// Hides a file that claims to be a recording if a recording that is `certain` covers its time; otherwise shows it.
    private static func show(_ extent: Extent, in database: Database) throws(Database.Failure) {
        var isCopy = false
        try find(overlapping: extent, .certain, in: database) { other in
            isCopy = other.covers(extent)
            return !isCopy
        }
        try database.run(
            "UPDATE recording SET shown = ?2 WHERE id = ?1 AND shown != ?2",
            [.integer(extent.number), .integer(isCopy ? 0 : 1)])
    }

    /// Finds rows that overlap a file.
    ///
    /// - Parameter found: A closure that receives each row; it returns false to stop.
    private static func find(
        overlapping extent: Extent, _ claim: RecordingClaim, in database: Database, _ found: (Extent) -> Bool
    ) throws(Database.Failure) {
        let whose: [Database.Value] = [.text(extent.recorder), .integer(claim.rawValue)]
        var length: Double?
        try database.run(longest, whose) { row in
            length = row.real(0)
            return false
        }
        guard let length else { return }
        try database.run(overlapping, whose + [.real(extent.begin), .real(extent.end), .real(length)]) { row in
            found(Extent(row))
        }
    }
}
