import ArgumentParser
import CommandInterface
import Glibc
import MediaTypes
import RecorderService

/// Where the program begins: `recorder web` becomes this one.
@main
struct RecorderWeb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web", _superCommandName: "recorder",
        abstract: "Shows recorders, and what they recorded, in a browser.",
        version: RecorderVersion.text, subcommands: [ServeCommand.self, UserCommand.self],
        defaultSubcommand: ServeCommand.self)

    static func main() async {
        signal(SIGXFSZ, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if command is ServeCommand { SignalWatcher.prepare() }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as MediaError {
            StandardError.line("recorder: \(error)")
            Glibc.exit(CommandInterface.ExitCode(for: RecordingFailure(.control, error)).rawValue)
        } catch {
            exit(withError: error)
        }
    }
}
