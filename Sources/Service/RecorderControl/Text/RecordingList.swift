import CommandInterface
import FileSystem
import Foundation
package import MediaTypes
package import RecorderStorage

/// A finished recording: a line of `recorder list`, an object of `recorder list --json`.
package struct ListedRecording: Encodable, Sendable {
    let name: String
    let file: String
    /// The beginning in ISO 8601, with the machine's offset from UTC; nil if unknown. `finished` has the same format.
    @OrNull var started: String?
    let finished: String
    /// The duration in seconds; nil if unknown.
    @OrNull var duration: Double?
    let bytes: Int64
    let ending: RecordingEnding
    /// True if the file exists and has not changed since it was finished.
    let isThere: Bool
    /// True if the owner keeps the recording; `keptSince` is ISO 8601.
    let isKept: Bool
    @OrNull var keptSince: String?
    @OrNull var note: String?
    /// The largest activity of a second, 0 to 100; nil if it was not measured.
    @OrNull package var activity: Int?

    private let begun: Double

    private enum CodingKeys: String, CodingKey {
        case name, file, started, finished, duration, bytes, ending, isThere
        case isKept = "kept"
        case keptSince, note, activity
    }

    /// Creates a list entry. Checks the file on the disk.
    package init(_ recording: FinishedRecording, of name: RecordingName) {
        self.name = name.description
        file = recording.path
        bytes = recording.identity.size
        finished = TimestampText.text(Self.date(recording.moment.wall))
        started = recording.account.started.map { TimestampText.text(Self.date($0)) }
        begun = Self.date(recording.account.started ?? recording.moment.wall).timeIntervalSince1970
        duration = recording.account.duration
        ending = recording.account.ending
        var kind = stat()
        isThere = lstat(recording.path, &kind) == 0 && recording.isSame(kind)
        isKept = recording.isKept
        keptSince = recording.pin.map { TimestampText.text(Self.date($0.since)) }
        note = recording.pin?.note
        activity = recording.account.peak
    }

    /// Returns the date for seconds since 1970, limited to years up to 9999, which calendars support.
    private static func date(_ seconds: Double) -> Date {
        Date(timeIntervalSince1970: seconds.isNaN ? 0 : min(max(-62_000_000_000, seconds), 253_000_000_000))
    }

    /// One line, e.g. `2026-11-21 14:03:22 · front · 1 h 02 min 11 s · 1.2 GB · stopped · /data/front/a.mov`.
    package var text: String {
        let start = Date(timeIntervalSince1970: begun)
        let day = Date.VerbatimFormatStyle(
            format:
                "\(year: .defaultDigits)-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)",
            timeZone: LocalTime.timeZone(at: start), calendar: Calendar(identifier: .gregorian))
        var facts = [start.formatted(day), name]
        if let duration { facts.append(NumberText.duration(duration)) }
        facts.append(NumberText.bytes(bytes))
        if let activity { facts.append("activity \(activity)") }
        facts += [ending.text, file]
        if isKept { facts.append("kept" + (note.map { ": \(PlainText.line($0))" } ?? "")) }
        if !isThere { facts.append("moved or changed") }
        return facts.joined(separator: " · ")
    }
}

extension RecordingEnding {
    /// A description of how the recording file ended.
    var text: String {
        switch self {
        case .stopped: "stopped"
        case .split: "continued in the next file"
        case .duration: "reached --duration"
        case .deviceLost: "stopped: device disconnected"
        case .diskFull: "stopped: disk full"
        case .failed: "failed"
        case .repaired: "interrupted, then repaired"
        case .unknown: "end unknown"
        }
    }
}

/// The finished recordings of several recorders, the oldest first, read in pages.
package struct RecordingList: Sequence, IteratorProtocol {
    private struct Source {
        let name: RecordingName
        let catalogue: RecordingCatalogue
        /// The entries of the current page that were not returned yet, the oldest last.
        var entries: [FinishedRecording] = []
        var number: Int64 = 0
        var isOver = false
    }

    private var sources: [Source]
    /// The error if not all recordings could be read.
    package private(set) var failure: (any Error)?

    package init(_ names: [RecordingName], in state: StateDirectory = StateDirectory()) {
        sources = names.map { Source(name: $0, catalogue: RecordingCatalogue($0, in: state)) }
    }

    package mutating func next() -> ListedRecording? {
        for index in sources.indices where sources[index].entries.isEmpty && !sources[index].isOver {
            do {
                let page = try sources[index].catalogue.page(after: sources[index].number, count: 256)
                sources[index].isOver = page.isEmpty
                sources[index].number = page.last?.number ?? 0
                sources[index].entries = page.reversed()
            } catch {
                failure = failure ?? error
                sources[index].isOver = true
            }
        }
        let oldest = sources.indices.filter { !sources[$0].entries.isEmpty }.min {
            (sources[$0].entries.last?.moment.wall ?? 0) < (sources[$1].entries.last?.moment.wall ?? 0)
        }
        guard let oldest, let entry = sources[oldest].entries.popLast() else { return nil }
        return ListedRecording(entry, of: sources[oldest].name)
    }
}
