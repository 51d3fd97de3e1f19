import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl

/// `recorder split`
struct SplitCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "split",
        abstract: "Continues in a new file without losing a frame.")
    static let examples = ["recorder split", "cp \"$(recorder split front)\" /tmp/"]

    @OptionGroup var choice: RecorderChoice

    @Flag(help: "Print each closed file as one line of JSON.")
    var json = false

    func run() async throws {
        try await choice.ask(.output) { (client, _) async throws(MediaError) in
            try await client.split()
        } show: { _, file in
            StandardOutput.line(json ? JSONText.line(file) : file.file)
        }
    }
}
