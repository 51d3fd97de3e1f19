import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import RecorderControl
import RecorderStorage

/// The recordings of `recorder keep` and `recorder unkeep`: files, or a recorder's files of a time range.
struct KeptRecordings: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Recordings, or with --last or --from one recorder whose recordings of that time are meant.",
            valueName: "file"),
        completion: .file())
    var words: [String]

    @Option(
        help: ArgumentHelp("The files of the last time up to now, e.g. 5m.", valueName: "time"),
        transform: DurationText.parse)
    var last: MediaTime?

    @Option(help: ArgumentHelp("The files from this time on, e.g. 14:30 or 2026-11-21 14:30.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("The files up to this time (default: now).", valueName: "time"))
    var to: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard let range = try range(now: Date().timeIntervalSince1970) else { return }
        guard words.count == 1 else { throw OptionError("--last, --from and --to need the name of one recorder") }
        _ = try RecordingName(parsing: words[0])
        guard range.lowerBound <= range.upperBound else { throw OptionError("--from must be before --to") }
    }

    /// A range of times in seconds since 1970, as it was given.
    private struct TimeRange {
        let lowerBound: Double
        let upperBound: Double
    }

    /// Returns the time range; nil if files were named.
    private func range(now: Double) throws(OptionError) -> TimeRange? {
        if let last {
            guard from == nil, to == nil else { throw OptionError("use --last, or --from and --to, not both") }
            return TimeRange(lowerBound: now - last.seconds, upperBound: now)
        }
        guard let from else {
            guard to == nil else { throw OptionError("--to needs --from") }
            return nil
        }
        let begin = try WallTimeText.parse(from, now: now)
        var end = now
        if let to { end = try WallTimeText.parse(to, now: now) }
        return TimeRange(lowerBound: begin, upperBound: end)
    }

    /// Returns the absolute paths of the recordings.
    func paths(_ pins: OwnerPins) throws -> [String] {
        guard let range = try range(now: Date().timeIntervalSince1970), let word = words.first else {
            return words.map { FilePath.absolute($0) }
        }
        let name = try RecordingName(parsing: word)
        do { try KnownRecorders().check(name) } catch { throw CommandFailure(error.description, .failed) }
        guard range.lowerBound <= range.upperBound else { throw OptionError("--from must be before --to") }
        let paths: [String]
        do throws(MediaError) { paths = try pins.files(of: name, in: range.lowerBound...range.upperBound) } catch {
            throw CommandFailure(RecordingFailure(.input, error))
        }
        guard !paths.isEmpty else {
            let times = [range.lowerBound, range.upperBound]
                .map { TimestampText.text(Date(timeIntervalSince1970: $0)) }
            throw CommandFailure("\(name) has no recording from \(times[0]) to \(times[1])", .noInput)
        }
        return paths
    }

    private struct Answer: Encodable {
        struct Entry: Encodable {
            let file: String
            @OrNull var copy: String?
            let bytes: Int64
            let wasKept: Bool
            /// ISO 8601, with the machine's offset from UTC.
            @OrNull var kept: String?
            @OrNull var note: String?

            init(_ change: OwnerPins.Change) {
                (file, bytes, wasKept) = (change.file, change.bytes, change.wasKept)
                copy = change.copy
                kept = change.pin.map { TimestampText.text(Date(timeIntervalSince1970: $0.since)) }
                note = change.pin?.note
            }
        }

        var recordings: [Entry] = []
        var failed: [FailureReport] = []
    }

    /// Changes all recordings, and reports each.
    ///
    /// - Parameter text: Returns the line about one change.
    /// - Throws: The exit code of the first failure, after all were reported.
    func change(
        _ body: (OwnerPins, String) throws(MediaError) -> OwnerPins.Change, text: (OwnerPins.Change) -> String
    ) throws {
        let pins = OwnerRemoval().pins
        var answer = Answer()
        var failure: MediaError?
        for path in try paths(pins) {
            do throws(MediaError) {
                let change = try body(pins, path)
                answer.recordings.append(Answer.Entry(change))
                let both = ([change.file] + [change.copy].compactMap(\.self)).joined(separator: " and ")
                if !json { StandardOutput.line("\(text(change)) \(both) · \(NumberText.bytes(change.bytes))") }
            } catch {
                failure = failure ?? error
                let code = ExitCode(for: RecordingFailure(.input, error)).rawValue
                answer.failed.append(FailureReport(error.description, exitCode: code))
                StandardError.line("recorder: \(error)")
            }
        }
        if json { StandardOutput.line(JSONText.line(answer)) }
        // Each has already been reported.
        if let failure { throw CommandFailure("", ExitCode(for: RecordingFailure(.input, failure))) }
    }
}
