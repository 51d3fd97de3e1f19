import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import RecorderControl
import RecorderStorage

/// The recordings that `recorder keep` or `recorder unkeep` is to change: files, or a recorder's files of a time range.
struct KeptRecordings: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Recordings; with --last or --from, the recorder that made them.",
            valueName: "file"),
        completion: .file())
    var words: [String]

    @Option(
        help: ArgumentHelp("The files of the last period up to now, e.g. 5m.", valueName: "time"),
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

    /// A range of times in seconds since 1970, as the user gave it. Its end may be before its start.
    private struct WallRange {
        let lowerBound: Double
        let upperBound: Double
    }

    /// True if a time range was given.
    var isRange: Bool { last != nil || from != nil || to != nil }

    /// Refuses a time that the clock shows twice. Meant for a command that must not choose the wrong one.
    func refuseDoubleTimes() throws(OptionError) {
        for text in [from, to].compactMap(\.self) {
            let times = try WallTimeText.parse(text, now: Date().timeIntervalSince1970)
            guard times.lowerBound < times.upperBound else { continue }
            let both = [times.lowerBound, times.upperBound]
                .map { "\"\(TimestampText.text(Date(timeIntervalSince1970: $0)))\"" }
            throw OptionError("\"\(text)\" occurs twice on that day: write \(both[0]) or \(both[1])")
        }
    }

    /// Returns the time range; nil if files were named. A range with a time that the clock shows twice is the longer
    /// one, so that no recording is missed.
    private func range(now: Double) throws(OptionError) -> WallRange? {
        if let last {
            guard from == nil, to == nil else { throw OptionError("use --last, or --from and --to, not both") }
            return WallRange(lowerBound: now - last.seconds, upperBound: now)
        }
        guard let from else {
            guard to == nil else { throw OptionError("--to needs --from") }
            return nil
        }
        let begin = try WallTimeText.parse(from, now: now).lowerBound
        var end = now
        if let to { end = try WallTimeText.parse(to, now: now).upperBound }
        return WallRange(lowerBound: begin, upperBound: end)
    }

    /// Returns the absolute paths of the recordings.
    func paths(_ pins: OwnerPins) throws -> [String] {
        guard let choice = try namedRange() else { return words.map { FilePath.absolute($0) } }
        return try files(pins, of: choice.name, choice.range)
    }

    /// Returns the recorder and its time range; nil if files were named.
    func namedRange() throws -> (name: RecordingName, range: ClosedRange<Double>)? {
        guard let range = try range(now: Date().timeIntervalSince1970), let word = words.first else { return nil }
        let name = try RecordingName(parsing: word)
        do { try KnownRecorders().check(name) } catch { throw CommandFailure(error.description, .failed) }
        guard range.lowerBound <= range.upperBound else { throw OptionError("--from must be before --to") }
        return (name, range.lowerBound...range.upperBound)
    }

    /// Returns the files of a recorder that overlap the time range.
    ///
    /// - Throws: A failure if there are none.
    func files(_ pins: OwnerPins, of name: RecordingName, _ range: ClosedRange<Double>) throws -> [String] {
        let paths: [String]
        do throws(MediaError) { paths = try pins.files(of: name, in: range) } catch {
            throw CommandFailure(RecordingFailure(.input, error))
        }
        guard !paths.isEmpty else {
            do { try KnownRecorders().checkLists(of: name) } catch { throw CommandFailure(error.description, .noInput) }
            let times = [range.lowerBound, range.upperBound]
                .map { TimestampText.text(Date(timeIntervalSince1970: $0)) }
            throw CommandFailure("\(name) has no recording from \(times[0]) to \(times[1])", .noInput)
        }
        return paths
    }

    /// Changes all recordings, and reports each.
    ///
    /// - Parameter text: Returns the line about one change.
    /// - Throws: The exit code of the first failure, after all were reported.
    func change(
        _ answer: KeptAnswer, _ body: (OwnerPins, String) throws(MediaError) -> OwnerPins.Change,
        text: (OwnerPins.Change) -> String
    ) throws {
        let pins = OwnerRemoval().pins
        var answer = answer
        for path in try paths(pins) {
            do throws(MediaError) {
                let change = try body(pins, path)
                answer.add(change, text(change))
            } catch { answer.add(error) }
        }
        try answer.end()
    }
}
