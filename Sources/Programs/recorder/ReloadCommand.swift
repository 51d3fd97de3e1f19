import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// `recorder reload`
struct ReloadCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Reloads the configuration and prints what changed.")
    static let examples = ["recorder reload", "recorder reload front --json"]

    @Argument(
        help: "The recorder (default: the only one running).", completion: .runningRecorders,
        transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Flag(help: "Print the name and changes as one JSON object.")
    var json = false

    private struct Answer: Encodable {
        var name: String
        var changes: [String]
    }

    func run() async throws {
        let recording = try RunningRecording(name)
        let changes = try await recording.ask(mistakesAre: .configuration) { (client) async throws(MediaError) in
            try await client.reload()
        }
        if json {
            return StandardOutput.line(JSONText.line(Answer(name: recording.name.description, changes: changes)))
        }
        if changes.isEmpty { StandardOutput.line("\(recording.name): no changes") }
        for change in changes { StandardOutput.line("\(recording.name): \(change)") }
    }
}
