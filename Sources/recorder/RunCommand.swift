import ArgumentParser
import RecorderService

/// `recorder run`: what `start` begins in the background, and what a service starts.
struct RunCommand: AsyncParsableCommand, InterruptibleCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Records in the foreground, as a service does; TERM finishes the file.",
        usage: "recorder run [<name>] [<options>]")
    static let examples = [
        "recorder run --camera test --microphone test --duration 10s",
        "recorder run front --camera /dev/video0 --bit-rate 6M",
    ]

    @OptionGroup var options: RecordingOptions

    /// A pipe to which the beginning, or what prevented it, is reported.
    @Option(help: .hidden) var reportDescriptor: Int32?

    var hearsSignals: Bool { true }

    func run() async throws {
        try await RecordingHere(try options.configuration(), hasTimes: true).run { [reportDescriptor] report in
            if let reportDescriptor { report.send(to: reportDescriptor) }
        }
    }
}
