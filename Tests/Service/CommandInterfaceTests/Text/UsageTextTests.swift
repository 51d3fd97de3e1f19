import CommandInterface
import Testing

/// The messages of ArgumentParser, in the style of this program.
@Suite struct UsageTextTests {
    @Test(arguments: [
        (
            "The value 'abc' is invalid for '--duration <time>': “abc” is not a duration: write 90",
            "--duration: “abc” is not a duration: write 90"
        ),
        ("The value 'a b' is invalid for '<name>': “a b” is not a name", "“a b” is not a name"),
        ("The value 'a b' is invalid.: “a b” is not a name", "“a b” is not a name"),
        (
            "Unknown option '--siez'. Did you mean '--size'?",
            "unknown option “--siez” of `recorder start`; did you mean “--size”?"
        ),
        ("Missing expected argument '<name>'.", "missing expected argument '<name>'; see `recorder start --help`"),
    ])
    func line_message_isInOurStyle(message: String, line: String) {
        #expect(UsageText.line(message, command: "recorder start") == line)
    }
}
