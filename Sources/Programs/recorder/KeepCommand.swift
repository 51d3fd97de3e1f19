import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderStorage

/// `recorder keep`
struct KeepCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep", abstract: "Keeps recordings: nothing deletes or replaces them.",
        usage: """
            recorder keep <file> ... [--note <text>]
            recorder keep <name> --last <time> [--note <text>]
            recorder keep <name> --from <time> [--to <time>] [--note <text>]
            """,
        discussion: """
            Writes a small file NAME.mov.keep beside each recording, also beside one in progress. Retention, `recorder delete`, \
            archives and --overwrite then leave the recording alone. A range of time keeps the files that it touches.
            """)
    static let examples = [
        "recorder keep 2026-11-24/09-00-00-front.mov --note 'broken gate'", "recorder keep front --last 5m",
    ]

    @OptionGroup var recordings: KeptRecordings

    @Option(
        help: ArgumentHelp("One line about the reason, for `recorder list`.", valueName: "text"),
        transform: RecordingPin.parse(note:))
    var note: String?

    func run() throws {
        let note = note
        try recordings.change { (pins, path) throws(MediaError) in
            try pins.keep(path, note: note)
        } text: { change in
            change.wasKept ? "was kept already:" : "kept"
        }
    }
}

/// `recorder unkeep`
struct UnkeepCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "unkeep", abstract: "Lets retention delete kept recordings again.",
        usage: """
            recorder unkeep <file> ...
            recorder unkeep <name> --last <time>
            recorder unkeep <name> --from <time> [--to <time>]
            """)
    static let examples = [
        "recorder unkeep 2026-11-24/09-00-00-front.mov", "recorder unkeep front --from 14:30 --to 14:40",
    ]

    @OptionGroup var recordings: KeptRecordings

    func run() throws {
        try recordings.change { (pins, path) throws(MediaError) in
            try pins.unkeep(path)
        } text: { change in
            change.wasKept ? "no longer kept:" : "was not kept:"
        }
    }
}
