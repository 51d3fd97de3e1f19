import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// `recorder mark`
struct MarkCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Adds a mark (chapter) at the current time.",
        usage: "recorder mark [<name>] <text>\nrecorder mark --title <text> [<name> ...] [--all]")
    static let examples = ["recorder mark front 'The door opens'", "recorder mark --title 'Act II' @stage"]

    @Argument(
        help: ArgumentHelp(
            "A recorder (default: the only one running), then the title. With --title: only recorders or @GROUP.",
            valueName: "text"))
    var words: [String] = []

    @Option(help: ArgumentHelp("Title of the mark.", valueName: "text"))
    var title: String?

    @Flag(help: "With --title: all running recorders of this user.")
    var all = false

    @Flag(help: "Print each recorder's status as one line of JSON.")
    var json = false

    /// Returns the recorders to mark. A single word is always the title, never a recorder's name, so that the meaning
    /// of a script does not depend on which recorders are running.
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
                "“mark” takes at most one name, then a title, quoted if it has spaces; for several names use --title TEXT"
            )
        }
        if all, title == nil || !words.isEmpty {
            throw OptionError("--all selects every recorder: omit the names, and use --title TEXT")
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
