import ArgumentParser
import CommandInterface
import MediaTypes
import MovieCommands

/// `recorder waveform`
struct WaveformCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "waveform", abstract: "Shows a movie's audio as an image, or as numbers.",
        usage: "recorder waveform <file> [<options>]")
    static let examples = [
        "recorder waveform front.mov", "recorder waveform front.mov --from 10s --to 1m --json --buckets 100",
    ]

    @Argument(help: "Movie or audio file to measure.", completion: .file())
    var file: String

    @Option(help: "Track number in `recorder info` (default: first audio).")
    var track: Int?

    @Option(
        help: ArgumentHelp("Start time (default: the beginning).", valueName: "time"),
        transform: DurationText.parseMoment)
    var from: MediaTime?

    @Option(help: ArgumentHelp("End time (default: the end).", valueName: "time"), transform: DurationText.parse)
    var to: MediaTime?

    @Option(help: "Number of values (default: the width of the image, or 1000 with --json).")
    var buckets: Int?

    @Option(help: "Image size (default: 1600 wide).", transform: FrameText.parseSize)
    var size: FrameSize?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Image file, .png or .jpg.", valueName: "path"), completion: .image)
    var output: String?

    @Flag(help: "Replace an existing file.")
    var overwrite = false

    @Flag(help: "Do not print the image's path.")
    var quiet = false

    @Flag(help: "Print the numbers as one JSON object.")
    var json = false

    func validate() throws { try options.validate() }

    private var options: WaveformOptions {
        var options = WaveformOptions(file: FilePath.absolute(file))
        options.track = track
        options.start = from
        options.end = to
        options.bucketCount = buckets
        options.size = size
        options.output = output.map { FilePath.absolute($0) }
        options.overwrite = overwrite
        options.isJSON = json
        return options
    }

    func run() async throws {
        do {
            let report = try await WaveformJob(options).run()
            if json { return StandardOutput.line(JSONText.line(report)) }
            if let path = report.file, !quiet { StandardOutput.line(path) }
        } catch {
            throw CommandFailure(error)
        }
    }
}
