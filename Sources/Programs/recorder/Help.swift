import ArgumentParser
import CommandInterface
import FileSystem
import Foundation

/// A command whose help ends with examples.
protocol ExampleCommand: ParsableCommand {
    /// Two command lines that work as written.
    static var examples: [String] { get }
}

/// The help texts: those of ArgumentParser, with examples at the end.
enum Help {
    /// Prints the requested help or version, and exits.
    static func print(for request: any Error) -> Never {
        let text = Recorder.fullMessage(for: request)
        StandardOutput.line(text.trimmingCharacters(in: .newlines))
        if text.contains("USAGE:") {
            let examples = examples(for: Array(ProcessText.arguments.dropFirst()))
            if !examples.isEmpty { StandardOutput.line("\nEXAMPLES:") }
            for example in examples { StandardOutput.line("  " + example) }
        }
        if let failure = CommandFailure.ofOutput { failure.exit() }
        Foundation.exit(0)
    }

    /// Returns the examples of the innermost command that the words name.
    static func examples(for words: [String]) -> [String] {
        var command: any ParsableCommand.Type = Recorder.self
        for word in words {
            guard
                let inner = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else { continue }
            command = inner
        }
        if command == Recorder.self { return Recorder.examples }
        return (command as? any ExampleCommand.Type)?.examples ?? []
    }
}

extension Recorder {
    static let examples = ["recorder devices", "recorder start --camera test --microphone test --duration 10s"]
}
