public import ArgumentParser
import CommandInterface
public import MediaTypes
import MovieCommands

/// `recorder frames`
struct FramesCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames", abstract: "Takes stills out of a movie, or draws a contact sheet.",
        usage: "recorder frames <file> [<options>]")
    static let examples = [
        "recorder frames front.mov", "recorder frames front.mov --at 0 --at 1m30s --output 'still-%t.jpg'",
    ]

    @Argument(help: "A movie.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("The picture at that time; repeatable.", valueName: "time"),
        transform: DurationText.parseMoment)
    var at: [MediaTime] = []

    @Option(help: ArgumentHelp("One picture every so often.", valueName: "time"), transform: DurationText.parse)
    var every: MediaTime?

    @Option(help: "So many pictures, evenly spread.")
    var count: Int?

    @Flag(help: "All on one picture; so without any of these.")
    var sheet = false

    @Option(help: "They fit inside: 640x360.", transform: PictureText.parseSize)
    var size: FrameSize?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("A file, a directory, or a name with %03d or %t.", valueName: "path"),
        completion: .picture)
    var output: String?

    @Option(help: "As --output's name says (default: png).")
    var format: StillImageFormat?

    @Option(
        help: ArgumentHelp("So far off may a picture be: 0, 2s.", valueName: "time"),
        transform: DurationText.parseMoment)
    var tolerance: MediaTime?

    @Flag(help: "Replace what exists.")
    var overwrite = false

    @Flag(help: "Print no paths.")
    var quiet = false

    @Flag(help: "One JSON object on standard output.")
    var json = false

    func validate() throws { try options.validate() }

    private var options: FramesOptions {
        var options = FramesOptions(file: FilePath.absolute(file))
        options.moments = at
        options.interval = every
        options.count = count
        options.isSheet = sheet
        options.size = size
        options.output = output.map { FilePath.absolute($0) }
        options.format = format
        options.tolerance = tolerance
        options.overwrite = overwrite
        return options
    }

    func run() async throws {
        let printsPaths = !quiet && !json
        let (report, failure) = try await made { event in
            switch event {
            case .wrote(let path): if printsPaths { StandardOutput.line(path) }
            case .failed(let reason): StandardError.line("recorder: \(reason)")
            }
        }
        if json { StandardOutput.line(JSONText.line(report)) }
        if let failure { throw CommandFailure("", ExitCode(for: failure)) }
    }

    private func made(
        _ report: @escaping @Sendable (FramesJob.Event) -> Void
    ) async throws -> (FramesReport, RecordingFailure?) {
        do { return try await FramesJob(options).run(report: report) } catch { throw CommandFailure(error) }
    }
}

extension StillImageFormat: ExpressibleByArgument {}
