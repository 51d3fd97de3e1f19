import ArgumentParser
import RecorderService

/// `recorder start`
struct StartCommand: AsyncParsableCommand, InterruptibleCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Begins recording; returns when the first frame is in the file.",
        usage: "recorder start [<name>] [<options>]")
    static let examples = [
        "recorder start --camera test --microphone test --duration 10s",
        "recorder start front --camera /dev/video0 --size 1280x720 --output front.mov",
    ]

    @OptionGroup var options: RecordingOptions

    @Flag(help: "Record in this process until INT, TERM or HUP.")
    var foreground = false

    @Flag(help: "One JSON object on standard output.")
    var json = false

    var hearsSignals: Bool { foreground }

    func run() async throws {
        let configuration = try options.configuration()
        let (name, json) = (configuration.name, json)
        @Sendable func announce(_ file: String, _ processID: Int32) {
            StandardOutput.line(Announcement(name: name, file: file, processID: processID).text(json: json))
        }
        if foreground {
            return try await RecordingHere(configuration, hasTimes: false).run { report in
                if let file = report.file { announce(file, CurrentProcess.id) }
            }
        }
        // The process gets the same words, so that a look at it shows what it was asked for.
        let words = CommandLine.arguments.dropFirst().filter { $0 != "--json" }
        let arguments = ["run"] + words.drop { $0 != "start" }.dropFirst()
        do {
            let started = try await BackgroundLauncher(name).start(arguments)
            announce(started.file, started.processID)
        } catch {
            throw CommandFailure(error)
        }
    }
}
