/// The messages of ArgumentParser about invalid arguments, in the style of this program's other messages.
package enum UsageText {
    /// Returns one line: "--duration: “abc” is not a duration: write 90, 1m30s or 00:01:30.5".
    ///
    /// - Parameter command: the words that name the command, such as `recorder stop`.
    package static func line(_ message: String, command: String) -> String {
        let line = message.replacing("\n", with: " ")
        // "The value 'abc' is invalid for '--duration <time>': …", where … is our own sentence. Without a name of the
        // value, the message is "The value 'abc' is invalid.: …".
        if let match = line.wholeMatch(of: /The value '.*?' is invalid for '(--[a-z-]+)?.*?': (“.*|an .*)/) {
            return (match.1.map { $0 + ": " } ?? "") + match.2
        }
        if let match = line.wholeMatch(of: /The value '.*?' is invalid\.?: (“.*|an .*)/) { return String(match.1) }
        if let match = line.wholeMatch(of: /Unknown option '(.*?)'\. Did you mean '(.*?)'\?/) {
            return "unknown option “\(match.1)” of `\(command)`; did you mean “\(match.2)”?"
        }
        let start = line.prefix(1).lowercased() + (line.last == "." ? line.dropFirst().dropLast() : line.dropFirst())
        let isOurs = line.hasPrefix("“") || line.hasPrefix("--") || line.hasPrefix("nothing")
        return isOurs ? line : start + "; see `\(command) --help`"
    }
}
