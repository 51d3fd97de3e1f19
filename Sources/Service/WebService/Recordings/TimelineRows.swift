import FileSystem
import Foundation
import MediaTypes
import RecorderStorage

/// The time range of a timeline request.
struct TimelineQuestion: Sendable {
    let range: ClosedRange<Double>
    /// The duration of one point of the screen, in seconds.
    let step: Double
    /// The recorder; nil for all.
    var recorder: String?
}

/// The index's answer to a timeline request.
struct TimelineAnswer: Sendable {
    /// The beginning of the first recording in seconds since 1970; nil if there are no recordings.
    let first: Double?
    let last: Double?
    let lines: [Timeline.Line]
    let indexing: RecordingIndex.Progress?
}

/// Reads the index's rows as a timeline. An SQLite index contains all needed columns, so reading a hundred thousand
/// recordings takes some tens of milliseconds.
enum TimelineRows {
    /// The maximum number of recordings per timeline whose marks and pauses are returned. If there are more recordings,
    /// only the first ones are read.
    private static let mostRead = 2000

    /// Returns the range from the first beginning to the last end; nil if there are no recordings.
    static func ends(_ database: Database) throws(Database.Failure) -> ClosedRange<Double>? {
        var ends: ClosedRange<Double>?
        try database.run(#"SELECT min(begin), max("end") FROM recording WHERE shown = 1"#) { row in
            guard let first = row.optionalReal(0), let last = row.optionalReal(1), first <= last else { return false }
            ends = first...last
            return false
        }
        return ends
    }

    /// Returns the numbers of the kept recordings: the recordings with the given paths, and the unfinished recordings
    /// that have a sidecar.
    static func numbers(of kept: [String], _ database: Database) throws(Database.Failure) -> Set<Int64> {
        var numbers: Set<Int64> = []
        for path in kept {
            if let number = try database.number("SELECT id FROM recording WHERE path = ?", [.text(path)]) {
                numbers.insert(number)
            }
        }
        try database.run(
            "SELECT id, path FROM recording INDEXED BY recording_line WHERE shown = 1 AND growing = 1"
        ) { row in
            if let path = OutputLocation.finalPath(of: row.text(1)), PinFile.isThere(path) {
                numbers.insert(row.integer(0))
            }
            return true
        }
        return numbers
    }

    static func lines(
        _ question: TimelineQuestion, _ generation: String, _ database: Database, kept: Set<Int64> = [],
        isRunning: (String) -> Bool
    ) throws(Database.Failure) -> [Timeline.Line] {
        var running: [String: Bool] = [:]
        func isWritten(_ recorder: String) -> Bool {
            if let known = running[recorder] { return known }
            let isThere = isRunning(recorder)
            running[recorder] = isThere
            return isThere
        }
        var line = Timeline(step: question.step)
        var (words, values) = (#"shown = 1 AND begin < ? AND "end" > ?"#, [Database.Value]())
        values = [.real(question.range.upperBound), .real(question.range.lowerBound)]
        if let recorder = question.recorder {
            words += " AND recorder = ?"
            values.append(.text(recorder))
        }
        let details = try details(words, values, database)
        try database.run(
            """
            SELECT recorder, begin, "end", id, growing, lost FROM recording INDEXED BY recording_line
            WHERE \(words) ORDER BY recorder, begin, id
            """, values
        ) { row in
            let (recorder, number) = (row.text(0), row.integer(3))
            let isUnfinished = row.integer(4) != 0
            let isGrowing = isUnfinished && isWritten(recorder)
            // A recording of a recorder that died counts as incomplete: the samples that were still in the memory are
            // lost.
            let span = Timeline.Span(
                begin: row.real(1), end: row.real(2), id: "\(generation)-\(number)", isGrowing: isGrowing,
                hasLosses: row.integer(5) != 0 || isUnfinished && !isGrowing, isKept: kept.contains(number))
            guard let detail = details[number] else {
                line.add(span, of: recorder)
                return true
            }
            for range in detail.clock.ranges {
                var part = span
                (part.begin, part.end) = (range.lowerBound, range.upperBound)
                line.add(part, of: recorder)
            }
            for mark in detail.marks {
                let moment = detail.clock.moment(of: mark.time)
                guard question.range.contains(moment) else { continue }
                line.add(Timeline.Mark(time: moment, title: mark.title, id: span.id ?? ""), of: recorder)
            }
            return true
        }
        return line.lines
    }

    private struct Detail {
        let clock: MovieClock
        let marks: [IndexedRecording.Mark]
    }

    /// Returns the details of recordings with marks or pauses, by row number.
    private static func details(
        _ words: String, _ values: [Database.Value], _ database: Database
    ) throws(Database.Failure) -> [Int64: Detail] {
        var details: [Int64: Detail] = [:]
        let decoder = JSONDecoder()
        func decoded<Value: Decodable>(_ text: String) -> [Value] {
            (try? decoder.decode([Value].self, from: Data(text.utf8))) ?? []
        }
        try database.run(
            """
            SELECT id, begin, duration, marks, pauses, "end" FROM recording INDEXED BY recording_marked
            WHERE \(words) AND (marks != '[]' OR pauses != '[]') ORDER BY recorder, begin LIMIT ?
            """, values + [.integer(Int64(mostRead))]
        ) { row in
            let (begin, pauses): (Double, [RecordingClock.Pause]) = (row.real(1), decoded(row.text(4)))
            let duration =
                row.optionalReal(2) ?? IndexedRecording.estimatedDuration(begin, row.real(5), pauses)
            details[row.integer(0)] = Detail(
                clock: MovieClock(begin: begin, duration: max(0, duration), pauses: pauses),
                marks: decoded(row.text(3)))
            return true
        }
        return details
    }
}
