import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderService

/// `recorder mark`
struct MarkCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Puts a chapter at this moment.",
        usage: "recorder mark [<name>] <text>\nrecorder mark --title <text> [<name> ...] [--all]")
    static let examples = ["recorder mark front 'The door opens'", "recorder mark --title 'Act II' @stage"]

    @Argument(
        help: ArgumentHelp(
            "Which one, the only one when left out; and the chapter's title. With --title names alone, or @GROUP.",
            valueName: "text"))
    var words: [String] = []

    @Option(help: ArgumentHelp("The chapter's title.", valueName: "text"))
    var title: String?

    @Flag(help: "With --title: every recording of this user.")
    var all = false

    @Flag(help: "The status as one JSON object, a line each.")
    var json = false

    /// Returns the recorders. A single word is always the title, whatever recorders run, so that a script's command
    /// always means the same.
    private func subjects() throws(OptionError) -> [RecorderSubject] {
        let names = title == nil ? Array(words.dropLast()) : words
        var subjects: [RecorderSubject] = []
        for name in names { subjects.append(try RecorderSubject(parsing: name)) }
        return subjects
    }

    func validate() throws {
        let text = title ?? words.last ?? ""
        guard !text.isEmpty, title != nil || words.count <= 2 else {
            throw OptionError(
                "“mark” takes a title, in quotes if it has spaces, and before it at most a name; --title TEXT takes several"
            )
        }
        if all, title == nil || !words.isEmpty {
            throw OptionError("--all means every recording: write --title TEXT, and no names")
        }
        _ = try subjects()
    }

    func run() async throws {
        let text = title ?? words.last ?? ""
        var choice = RecorderChoice()
        (choice.subjects, choice.all) = (try subjects(), all)
        try await choice.ask { (client, _) async throws(MediaError) in
            try await client.mark(text)
        } show: { name, status in
            StandardOutput.line(json ? JSONText.line(status) : "\(name) marked at \(status.clock): \(text)")
        }
    }
}
