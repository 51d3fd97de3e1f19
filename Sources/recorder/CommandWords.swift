import ArgumentParser
import RecorderService

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
