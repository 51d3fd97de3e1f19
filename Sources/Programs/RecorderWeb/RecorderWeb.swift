import ArgumentParser
import CommandInterface
import FileSystem
import Glibc
import MediaTypes
import RecorderStorage

/// The entry point of the program that `recorder web` executes.
@main
struct RecorderWeb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web", _superCommandName: "recorder",
        abstract: "Shows recorders and their recordings in a browser.",
        version: RecorderVersion.text, subcommands: [ServeCommand.self, UserCommand.self],
        defaultSubcommand: ServeCommand.self)

    static func main() async {
        StandardDescriptors.fill()
        signal(SIGXFSZ, SIG_IGN)
        let words = Array(ProcessText.arguments.dropFirst())
        // Users serve the page without naming a subcommand, so the options of `serve` are shown as those of the
        // program.
        if ["--help", "-h", "help"].contains(words.first), words.count == 1 {
            return StandardOutput.line(ServeCommand.help)
        }
        do {
            var command = try parseAsRoot(words)
            if command is ServeCommand { SignalWatcher.prepare() }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            if let failure = StandardOutput.failure { throw failure }
        } catch let error as MediaError {
            StandardError.line("recorder: \(error)")
            Glibc.exit(CommandInterface.ExitCode(for: RecordingFailure(.control, error)).rawValue)
        } catch {
            if error is ArgumentParser.ExitCode || exitCode(for: error).isSuccess { exit(withError: error) }
            let path = words.first == "user" ? "recorder web user" : "recorder web"
            StandardError.line("recorder: " + UsageText.line(message(for: error), command: path))
            Glibc.exit(CommandInterface.ExitCode.usage.rawValue)
        }
    }
}
