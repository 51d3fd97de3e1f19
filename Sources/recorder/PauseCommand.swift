import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderService

/// `recorder pause`
struct PauseCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Leaves out what follows, until `resume`.")
    static let examples = ["recorder pause", "recorder pause front --json"]

    @Argument(
        help: "Which one; the only one when left out.", completion: .runningRecorders,
        transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Flag(help: "The status as one JSON object.")
    var json = false

    func run() async throws {
        let recording = try RunningRecording(name)
        let status = try await recording.ask { (client) async throws(MediaError) in try await client.pause() }
        StandardOutput.line(json ? JSONText.line(status) : "\(recording.name) paused at \(status.clock)")
    }
}

/// `recorder resume`
struct ResumeCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Goes on with a recording that is paused.")
    static let examples = ["recorder resume", "recorder resume front --json"]

    @Argument(
        help: "Which one; the only one when left out.", completion: .runningRecorders,
        transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Flag(help: "The status as one JSON object.")
    var json = false

    func run() async throws {
        let recording = try RunningRecording(name)
        let status = try await recording.ask { (client) async throws(MediaError) in try await client.resume() }
        StandardOutput.line(json ? JSONText.line(status) : "\(recording.name) goes on at \(status.clock)")
    }
}
