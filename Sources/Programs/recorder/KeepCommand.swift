import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// `recorder keep`
struct KeepCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep", abstract: "Keeps recordings: nothing deletes or replaces them.",
        usage: """
            recorder keep <file> ... [--note <text>]
            recorder keep <name> --last <time> [--keep-range <what>] [--note <text>]
            recorder keep <name> --from <time> [--to <time>] [--keep-range <what>]
            recorder keep <name> --resume
            """,
        discussion: """
            Writes a small file NAME.mov.keep beside each recording, even one in progress. Retention, `recorder \
            delete`, archives and --overwrite then neither delete nor replace the recording. A time range keeps all \
            files that overlap it. With --keep-range clip, they are kept only until a clip of exactly that range is \
            complete.
            """)
    static let examples = [
        "recorder keep 2026-11-24/09-00-00-front.mov --note 'broken gate'", "recorder keep front --last 5m",
    ]

    @OptionGroup var recordings: KeptRecordings

    @Option(
        help: ArgumentHelp("One line about the reason, for `recorder list`.", valueName: "text"),
        transform: RecordingPin.parse(note:))
    var note: String?

    @Option(
        help: ArgumentHelp(
            "What to keep of a time range: files, clip or both (default: the setting `keep-range`, else files).",
            valueName: "what"),
        transform: RangeKeeping.init(parsing:))
    var keepRange: RangeKeeping?

    @Flag(help: "Make the clips that a crash or an error left incomplete.")
    var resume = false

    func validate() throws {
        if keepRange != nil, !recordings.isRange { throw OptionError("--keep-range needs --last or --from") }
        guard resume else { return }
        guard !recordings.isRange, note == nil, recordings.words.count == 1 else {
            throw OptionError("--resume needs the name of one recorder, and no other option")
        }
        _ = try RecordingName(parsing: recordings.words[0])
    }

    func run() async throws {
        let answer = KeptAnswer(json: recordings.json, hasClips: true)
        if resume { return try await resumeClips(answer) }
        if let (name, range) = try recordings.namedRange() {
            // An invalid configuration must not keep the user from protecting a recording.
            let keeping = keepRange ?? (try? ConfigurationSource(name).load())?.keepRange ?? .files
            if keeping != .files { return try await keepClip(answer, of: name, range, keeping) }
        }
        let (note, isRange) = (note, recordings.isRange)
        try recordings.change(answer) { (pins, path) throws(MediaError) in
            // A range may contain clips of earlier ranges, which have their own notes.
            try pins.keep(path, note: isRange && RangeRequest.isClip(path) ? nil : note)
        } text: {
            KeptAnswer.keptText($0)
        }
    }

    private func keepClip(
        _ first: KeptAnswer, of name: RecordingName, _ range: ClosedRange<Double>, _ keeping: RangeKeeping
    ) async throws {
        Heap.useOne()
        let removal = OwnerRemoval()
        let files = try recordings.files(removal.pins, of: name, range)
        var answer = first
        do throws(MediaError) {
            try await RangeKeeper(removal, RangeClipMaker())
                .keep(files, of: name, range, note: note, releasesFiles: keeping == .clip) { answer.add($0) }
        } catch { answer.add(error) }
        try answer.end()
    }

    private func resumeClips(_ first: KeptAnswer) async throws {
        Heap.useOne()
        let name = try RecordingName(parsing: recordings.words[0])
        var answer = first
        do throws(MediaError) {
            try await RangeKeeper(OwnerRemoval(), RangeClipMaker()).resume(name) { answer.add($0) }
        } catch { answer.add(error) }
        try answer.end()
    }
}

/// `recorder unkeep`
struct UnkeepCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "unkeep", abstract: "Ends the protection of kept recordings.",
        usage: """
            recorder unkeep <file> ...
            recorder unkeep <name> --last <time>
            recorder unkeep <name> --from <time> [--to <time>]
            """)
    static let examples = [
        "recorder unkeep 2026-11-24/09-00-00-front.mov", "recorder unkeep front --from 14:30 --to 14:40",
    ]

    @OptionGroup var recordings: KeptRecordings

    func validate() throws { try recordings.refuseDoubleTimes() }

    func run() throws {
        let answer = KeptAnswer(json: recordings.json, hasClips: false)
        try recordings.change(answer) { (pins, path) throws(MediaError) in
            try pins.unkeep(path)
        } text: { change in
            change.wasKept ? "no longer kept:" : "was not kept:"
        }
    }
}
