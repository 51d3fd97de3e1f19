import ArgumentParser
import CommandInterface
import FileSystem
import Glibc
import RecorderService

/// The command line: reads the words, lets a subcommand do its one thing, and turns what went wrong into one line and an
/// exit code.
struct Recorder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recorder", abstract: "Records cameras and microphones into QuickTime movies.",
        version: RecorderVersion.text,
        subcommands: [
            DevicesCommand.self, StartCommand.self, StopCommand.self, PauseCommand.self, ResumeCommand.self,
            SplitCommand.self, SaveCommand.self, MarkCommand.self, SnapshotCommand.self, StatusCommand.self,
            ReloadCommand.self, RunCommand.self, InfoCommand.self, ReencodeCommand.self, CombineCommand.self,
            FramesCommand.self, WaveformCommand.self, RepairCommand.self, MirrorCommand.self, VerifyCommand.self,
            KeyCommand.self, ConfigCommand.self, RetentionCommand.self, CopyCommand.self, ListCommand.self,
            DeleteCommand.self, ArchiveCommand.self, WebCommand.self,
        ])

    /// On the main thread until a command waits: whatever is set there before, as a niceness, holds for all threads.
    @MainActor static func main() async {
        // A file that may not grow any more is an error of its write, EFBIG, and no reason to end (RLIMIT_FSIZE).
        signal(SIGXFSZ, SIG_IGN)
        do {
            var command = try parseAsRoot(Array(ProcessText.arguments.dropFirst()))
            if var command = command as? any AsyncParsableCommand {
                // Before the first other thread exists.
                if (command as? any InterruptibleCommand)?.hearsSignals == true { SignalWatcher.prepare() }
                if (command as? any InterruptibleCommand)?.recordsLive == true { ProcessPriority.raise() }
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            failure.exit()
        } catch {
            let words = CommandWords(Array(ProcessText.arguments.dropFirst()))
            // Help that was asked for is no failure, unless it was of something that there is not.
            if exitCode(for: error).isSuccess, words.mistake == nil { Help.print(for: error) }
            let line = words.mistake ?? UsageText.line(message(for: error), command: words.path)
            CommandFailure(line, .usage).exit()
        }
    }
}

/// A command that may write a film in its own process, and then hears signals: to finish a recording, to drop a copy.
protocol InterruptibleCommand: SendableMetatype {
    var hearsSignals: Bool { get }
    /// Devices are recorded in this process, which must not wait for others.
    var recordsLive: Bool { get }
}

/// The words that somebody typed, as far as they name a command.
struct CommandWords {
    /// As `recorder config check`.
    let path: String
    /// "“strat” is no command; did you mean `recorder start`?", nil when every word there is one.
    let mistake: String?

    init(_ words: [String]) {
        var command: any ParsableCommand.Type = Recorder.self
        var path = "recorder"
        var mistake: String?
        for word in words where !(word == "help" && path == "recorder") {
            let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
            guard !names.isEmpty, !word.hasPrefix("-") else { break }
            guard let index = names.firstIndex(of: word) else {
                let meant = Spelling.nearest(to: word, in: names)
                mistake =
                    "“\(word.prefix(80))” is no command; "
                    + (meant.map { "did you mean `\(path) \($0)`?" } ?? "`\(path) --help` lists them")
                break
            }
            command = command.configuration.subcommands[index]
            path += " " + word
        }
        (self.path, self.mistake) = (path, mistake)
    }
}
