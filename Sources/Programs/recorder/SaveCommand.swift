import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// `recorder save`
struct SaveCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "save",
        abstract: "Saves the pre-roll to a separate file.",
        usage: "recorder save [<name>] [--last <time>] [--output <file>]")
    static let examples = ["recorder save --last 30s", "recorder save front --last 10s -o goal.mov"]

    @Argument(
        help: "The recorder (default: the only one running).", completion: .runningRecorders,
        transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Option(
        help: ArgumentHelp("Duration to save, e.g. 30s or 1m30s (default: all).", valueName: "time"),
        transform: DurationText.parse)
    var last: MediaTime?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("File to write (default: next to the recording).", valueName: "file"), completion: .movie)
    var output: String?

    @Flag(help: "Print the new file as one JSON object.")
    var json = false

    func run() async throws {
        // The recorder's process may have another working directory.
        let path = output.map { FilePath.absolute($0) }
        let file = try await RunningRecording(name).ask(.output) { (client) async throws(MediaError) in
            try await client.save(last: last, to: path)
        }
        StandardOutput.line(json ? JSONText.line(file) : file.file)
    }
}
