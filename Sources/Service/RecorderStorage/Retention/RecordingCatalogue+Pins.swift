package import MediaTypes

/// The pins in a catalogue, for lists and sums. A pin here keeps its recording even without a sidecar.
extension RecordingCatalogue {
    /// The number and the total size of kept recordings.
    package struct Stock: Sendable, Equatable {
        package var files: Int64 = 0
        package var bytes: Int64 = 0
    }

    /// Records a pin, or the removal of a pin, for the file that was entered with this path. If the same file was
    /// entered again since, its new entry gets the pin.
    func record(_ pin: RecordingPin?, of entry: FinishedRecording) throws(MediaError) {
        let action = "cannot record in the catalogue whether \(entry.path) is kept"
        try using(action) { database throws(Database.Failure) in
            try database.run(
                "UPDATE recording SET kept = ?, note = ? WHERE path = ? AND inode = ?",
                [
                    .init(pin?.since), .init(pin?.note), .text(entry.path),
                    .integer(Int64(bitPattern: entry.identity.inode)),
                ])
        }
    }

    /// Returns the number and the total size of the kept recordings in each place, by the place's number. Leaves out
    /// recordings whose disks are missing.
    func keptStocks() throws(MediaError) -> [Int64: Stock] {
        try read { database throws(Database.Failure) in
            var stocks: [Int64: Stock] = [:]
            try database.run(
                """
                SELECT place, count(*), sum(size) FROM recording INDEXED BY recording_kept
                WHERE kept IS NOT NULL AND away = 0 GROUP BY place
                """
            ) { row in
                stocks[row.integer(0)] = Stock(files: row.integer(1), bytes: row.integer(2))
                return true
            }
            return stocks
        } ?? [:]
    }

    /// Returns at most `count` kept recordings with numbers greater than `number`, the oldest first.
    package func kept(after number: Int64 = 0, count: Int) throws(MediaError) -> [FinishedRecording] {
        try read { database throws(Database.Failure) in
            try CatalogueRows.kept(after: number, count: count, from: database)
        } ?? []
    }

    /// Returns the recordings that were in progress in a range of times, in seconds since 1970. Reads all entries.
    func recordings(in range: ClosedRange<Double>) throws(MediaError) -> [FinishedRecording] {
        try read { database throws(Database.Failure) in
            try CatalogueRows.recordings(in: range, from: database)
        } ?? []
    }
}
