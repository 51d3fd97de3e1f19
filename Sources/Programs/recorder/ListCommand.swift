import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// `recorder list`
struct ListCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists finished recordings, and how they ended.",
        discussion: """
            The newest recording comes last. Recordings that retention deleted are not listed. After the recordings \
            come the recorders that died or failed, with the files that they left unfinished.
            """)
    static let examples = ["recorder list", "recorder list front --min-activity 50"]

    @Argument(
        help: "The recorder whose recordings to list (default: all).", completion: .recorders,
        transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Option(
        help: ArgumentHelp("Only recordings with at least this activity, 1 to 100.", valueName: "value"),
        transform: ServiceText.parseActivity)
    var minActivity: Int?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let known = KnownRecorders()
        if let name {
            do { try known.checkLists(of: name) } catch { throw CommandFailure(error.description, .failed) }
        }
        var list = RecordingList(name.map { [$0] } ?? known.recorded)
        // Written line by line, because a list of several years is long.
        var isFirst = true
        if json { StandardOutput.write("{\"recordings\":[") }
        while let recording = list.next() {
            if let minActivity, recording.activity ?? 0 < minActivity { continue }
            if json {
                StandardOutput.write((isFirst ? "" : ",") + JSONText.line(recording))
            } else {
                StandardOutput.line(recording.text)
            }
            isFirst = false
        }
        // Recordings left by recorders that died have no entry yet; the next start creates one.
        let ends = RecorderEnds()
        let interrupted = (name.map { [$0] } ?? ends.names).compactMap { ends.end(of: $0) }
        if json {
            StandardOutput.line("],\"interrupted\":\(JSONText.line(interrupted))}")
        } else {
            for end in interrupted { StandardOutput.line(end.text) }
        }
        if let failure = list.failure as? MediaError {
            throw CommandFailure(RecordingFailure(.recording, failure))
        }
    }
}
