import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderService

/// `recorder split`
struct SplitCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "split",
        abstract: "Goes on in a new file, without losing a frame.")
    static let examples = ["recorder split", "cp \"$(recorder split front)\" /tmp/"]

    @Argument(
        help: "Which one; the only one when left out.", completion: .runningRecorders,
        transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Flag(help: "The closed file as one JSON object.")
    var json = false

    func run() async throws {
        let file = try await RunningRecording(name).ask(.output) { (client) async throws(MediaError) in
            try await client.split()
        }
        StandardOutput.line(json ? JSONText.line(file) : file.file)
    }
}
