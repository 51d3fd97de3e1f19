import ArgumentParser
import CommandInterface
import MovieCommands

/// `recorder reencode`
struct ReencodeCommand: AsyncParsableCommand, InterruptibleCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "reencode", abstract: "Re-encodes, trims and joins movies; selects tracks.",
        usage: "recorder reencode <input> … [-o <output>] [<options>]")
    static let examples = [
        "recorder reencode lecture.mov",
        "recorder reencode a.mov b.mov -o both.mp4 --from 10s --to 1m --size 1280x720",
    ]

    @OptionGroup var options: ReencodeOptions

    @Flag(help: "Print no progress and no summary.")
    var quiet = false

    @Flag(help: "Print one JSON object.")
    var json = false

    var hearsSignals: Bool { true }
    var recordsLive: Bool { false }

    func run() async throws {
        Heap.useOne()
        let request = try options.request()
        do {
            let reencoding = try await request.reencoding()
            let summary = try await ReencodeRun(reencoding, isQuiet: quiet).run()
            StandardOutput.line(json ? JSONText.line(summary) : summary.file)
        } catch {
            throw CommandFailure(error)
        }
    }
}
