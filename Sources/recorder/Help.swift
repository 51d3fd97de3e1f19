import ArgumentParser
import Foundation
import RecorderService

/// A command whose help ends with examples.
protocol ExampleCommand: ParsableCommand {
    /// Two lines that work as they stand.
    static var examples: [String] { get }
}

/// The help texts: those of ArgumentParser, with examples at the end.
enum Help {
    /// Prints what a person asked for, help or version, and leaves.
    static func print(for request: any Error) -> Never {
        let text = Recorder.fullMessage(for: request)
        let words = CommandLine.arguments.dropFirst()
        let command = Recorder.configuration.subcommands.first { type in
            words.contains { $0 == type.configuration.commandName }
        }
        let examples = (command as? any ExampleCommand.Type)?.examples ?? Recorder.examples
        StandardOutput.line(text.trimmingCharacters(in: .newlines))
        if text.contains("USAGE:") {
            StandardOutput.line("\nEXAMPLES:")
            for example in examples { StandardOutput.line("  " + example) }
        }
        Foundation.exit(0)
    }
}

extension Recorder {
    static let examples = ["recorder devices", "recorder start --camera test --microphone test --duration 10s"]
}
