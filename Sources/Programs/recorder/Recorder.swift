import ArgumentParser
import CommandInterface
import FileSystem
import Glibc
import RecorderStorage

/// The command line: parses the arguments, runs a subcommand, and turns its failure into one line and an exit code.
struct Recorder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recorder", abstract: "Records cameras and microphones into QuickTime movies.",
        version: RecorderVersion.text,
        subcommands: [
            DevicesCommand.self, DoctorCommand.self, StartCommand.self, StopCommand.self, PauseCommand.self,
            ResumeCommand.self, SplitCommand.self, SaveCommand.self, MarkCommand.self, SnapshotCommand.self,
            StatusCommand.self, ReloadCommand.self, RunCommand.self, InfoCommand.self, ReencodeCommand.self,
            CombineCommand.self, FramesCommand.self, WaveformCommand.self, RepairCommand.self, MirrorCommand.self,
            VerifyCommand.self, KeyCommand.self, ConfigCommand.self, RetentionCommand.self, CopyCommand.self,
            ListCommand.self, KeepCommand.self, UnkeepCommand.self, DeleteCommand.self, ArchiveCommand.self,
            WebCommand.self,
        ])

    /// Runs on the main thread until a command waits. Settings that are made before that, such as a niceness, apply to
    /// all threads.
    @MainActor static func main() async {
        // A file that reaches its size limit (RLIMIT_FSIZE) makes the write fail with EFBIG. The signal must not end
        // the process.
        signal(SIGXFSZ, SIG_IGN)
        do {
            var command = try parseAsRoot(Array(ProcessText.arguments.dropFirst()))
            if var command = command as? any AsyncParsableCommand {
                // The handlers must be installed before another thread exists.
                if (command as? any InterruptibleCommand)?.hearsSignals == true { SignalWatcher.prepare() }
                if (command as? any InterruptibleCommand)?.recordsLive == true { ProcessPriority.raise() }
                try await command.run()
            } else {
                try command.run()
            }
            if let failure = CommandFailure.ofOutput { throw failure }
        } catch let failure as CommandFailure {
            failure.exit()
        } catch {
            let words = CommandWords(Array(ProcessText.arguments.dropFirst()))
            // Requested help is not a failure, unless it is for an unknown command.
            if exitCode(for: error).isSuccess, words.mistake == nil { Help.print(for: error) }
            let line = words.mistake ?? UsageText.line(message(for: error), command: words.path)
            CommandFailure(line, .usage).exit()
        }
    }
}

/// A command that may write a movie in its own process and handles signals: to finalize a recording, or to discard an
/// incomplete copy.
protocol InterruptibleCommand: SendableMetatype {
    var hearsSignals: Bool { get }
    /// True if the command records devices in this process. The process then gets a higher priority, because it must
    /// not wait for other processes.
    var recordsLive: Bool { get }
}

/// The typed words that name a command.
struct CommandWords {
    /// The command's path, such as `recorder config check`.
    let path: String
    /// A message such as "unknown command “strat”; did you mean `recorder start`?"; nil if every word is valid.
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
                    "unknown command “\(word.prefix(80))”; "
                    + (meant.map { "did you mean `\(path) \($0)`?" } ?? "`\(path) --help` lists them")
                break
            }
            command = command.configuration.subcommands[index]
            path += " " + word
        }
        (self.path, self.mistake) = (path, mistake)
    }
}
