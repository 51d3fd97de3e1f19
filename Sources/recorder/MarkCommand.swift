import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderService

/// `recorder mark`
struct MarkCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Puts a chapter at this moment.", usage: "recorder mark [<name>] <text>")
    static let examples = ["recorder mark 'Second half'", "recorder mark front 'The door opens'"]

    @Argument(
        help: ArgumentHelp(
            "Which one, the only one when left out; and the chapter's title.", valueName: "text"))
    var words: [String] = []

    @Flag(help: "The status as one JSON object.")
    var json = false

    /// A single word is always the title, whatever recordings there are: what a script says means the same every time.
    private var name: RecordingName? {
        get throws(OptionError) { words.count == 2 ? try RecordingName(parsing: words[0]) : nil }
    }

    func validate() throws {
        guard let title = words.last, words.count <= 2, !title.isEmpty else {
            throw OptionError("“mark” takes a title, in quotes if it has spaces, and before it at most a name")
        }
        _ = try name
    }

    func run() async throws {
        let title = words.last ?? ""
        let recording = try RunningRecording(name)
        let status = try await recording.ask { (client) async throws(MediaError) in try await client.mark(title) }
        StandardOutput.line(json ? JSONText.line(status) : "\(recording.name) marked at \(status.clock): \(title)")
    }
}
