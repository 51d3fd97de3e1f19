import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl

/// `recorder pause`
struct PauseCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pauses recording until `resume`.")
    static let examples = ["recorder pause", "recorder pause stage-left stage-right"]

    @OptionGroup var choice: RecorderChoice

    @Flag(help: "Print each recorder's status as one line of JSON.")
    var json = false

    func run() async throws {
        try await choice.ask { (client, instant) async throws(MediaError) in
            let status = try await client.pause(at: instant)
            RecorderChoice.reportLateness(status, instant)
            return status
        } show: { name, status in
            StandardOutput.line(json ? JSONText.line(status) : "\(name) paused at \(status.clock)")
        }
    }
}

/// `recorder resume`
struct ResumeCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resumes a paused recording.")
    static let examples = ["recorder resume", "recorder resume @stage"]

    @OptionGroup var choice: RecorderChoice

    @Flag(help: "Print each recorder's status as one line of JSON.")
    var json = false

    func run() async throws {
        try await choice.ask { (client, instant) async throws(MediaError) in
            let status = try await client.resume(at: instant)
            RecorderChoice.reportLateness(status, instant)
            return status
        } show: { name, status in
            StandardOutput.line(json ? JSONText.line(status) : "\(name) resumed at \(status.clock)")
        }
    }
}
