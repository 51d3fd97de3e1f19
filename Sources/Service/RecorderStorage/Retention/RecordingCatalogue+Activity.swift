package import MediaTypes

/// The activity of the recordings in a catalogue.
extension RecordingCatalogue {
    /// The activity of one recording.
    package struct Activity: Sendable {
        package let path: String
        /// The recording's start in seconds since 1970.
        package let started: Double
        package let series: ActivitySeries
    }

    /// Returns the activity of the recordings that were in progress in a time range, the oldest first. Leaves out a
    /// recording if its start is unknown, or if its activity was not measured. Reads all entries.
    ///
    /// - Parameter range: Times in seconds since 1970.
    package func activity(in range: ClosedRange<Double>) throws(MediaError) -> [Activity] {
        try read { database throws(Database.Failure) in
            var found: [Activity] = []
            try database.run(
                """
                SELECT r.path, r.started, a.step, a.series FROM recording AS r JOIN activity AS a ON a.recording = r.id
                WHERE r.wall >= ? AND r.started <= ? ORDER BY r.id
                """, [.real(range.lowerBound), .real(range.upperBound)]
            ) { row in
                if let series = ActivitySeries(step: Int(clamping: row.integer(2)), text: row.text(3)) {
                    found.append(Activity(path: row.text(0), started: row.real(1), series: series))
                }
                return true
            }
            return found
        } ?? []
    }

    /// Returns the activity of one entry; nil if it was not measured.
    func activity(of entry: FinishedRecording) throws(MediaError) -> ActivitySeries? {
        try read { database throws(Database.Failure) -> ActivitySeries? in
            var series: ActivitySeries?
            try database.run("SELECT step, series FROM activity WHERE recording = ?", [.integer(entry.number)]) { row in
                series = ActivitySeries(step: Int(clamping: row.integer(0)), text: row.text(1))
                return false
            }
            return series
        } ?? nil
    }
}
