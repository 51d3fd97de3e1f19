import CommandInterface
import Foundation
import MediaTypes
import RecorderControl
import RecorderStorage

/// Reports what `recorder keep` and `recorder unkeep` changed: a line for each file, or one JSON object.
struct KeptAnswer {
    private struct Object: Encodable {
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
        /// The clips of a time range; nil for `unkeep`.
        var clips: [Entry]?
        /// The files that were kept only until the clips were made, and are not kept any more.
        var released: [String]?
        var failed: [FailureReport] = []
    }

    private let isJSON: Bool
    private var object = Object()
    private var failure: MediaError?

    /// - Parameter hasClips: True for `recorder keep`, which may make clips.
    init(json: Bool, hasClips: Bool) {
        isJSON = json
        if hasClips { (object.clips, object.released) = ([], []) }
    }

    mutating func add(_ change: OwnerPins.Change, _ text: String) {
        object.recordings.append(Object.Entry(change))
        line(text, change)
    }

    mutating func add(_ error: MediaError) {
        failure = failure ?? error
        let code = ExitCode(for: RecordingFailure(.input, error)).rawValue
        object.failed.append(FailureReport(error.description, exitCode: code))
        StandardError.line("recorder: \(error)")
    }

    mutating func add(_ event: RangeKeeper.Event) {
        switch event {
        case .kept(let change): add(change, Self.keptText(change))
        case .notKept(let error): add(error)
        case .clip(let change):
            object.clips?.append(Object.Entry(change))
            line("clip, kept:", change)
        case .released(let path, let isReleased):
            if isReleased { object.released?.append(path) }
            if !isJSON { StandardOutput.line((isReleased ? "no longer kept: " : "stays kept: ") + path) }
        }
    }

    static func keptText(_ change: OwnerPins.Change) -> String { change.wasKept ? "was kept already:" : "kept" }

    private func line(_ text: String, _ change: OwnerPins.Change) {
        guard !isJSON else { return }
        let both = ([change.file] + [change.copy].compactMap(\.self)).joined(separator: " and ")
        StandardOutput.line("\(text) \(both) · \(NumberText.bytes(change.bytes))")
    }

    /// Prints the JSON object, and reports clips that an earlier run left incomplete.
    ///
    /// - Throws: The exit code of the first failure, which has already been reported.
    func end() throws {
        if isJSON { StandardOutput.line(JSONText.line(object)) }
        let keeper = RangeKeeper(OwnerRemoval(), RangeClipMaker())
        for name in KnownRecorders().recorded {
            for request in keeper.leftovers(of: name) {
                let times = [request.from, request.to].map { TimestampText.text(Date(timeIntervalSince1970: $0)) }
                StandardError.line(
                    "recorder: the clip of \(name) from \(times[0]) to \(times[1]) is not complete, so its files stay "
                        + "kept; `recorder keep \(name) --resume` makes it")
            }
        }
        if let failure { throw CommandFailure("", ExitCode(for: RecordingFailure(.input, failure))) }
    }
}
