public import ArgumentParser
import CommandInterface
public import MediaTypes
import MovieCommands

/// `recorder frames`
struct FramesCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames", abstract: "Extracts still images, or draws a contact sheet.",
        usage: "recorder frames <file> [<options>]")
    static let examples = [
        "recorder frames front.mov", "recorder frames front.mov --at 0 --at 1m30s --output 'still-%t.jpg'",
    ]

    @Argument(help: "Movie to take images from.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("Time of an image, e.g. 1m30s; repeatable.", valueName: "time"),
        transform: DurationText.parseMoment)
    var at: [MediaTime] = []

    @Option(help: ArgumentHelp("Interval between images, e.g. 10s.", valueName: "time"), transform: DurationText.parse)
    var every: MediaTime?

    @Option(help: "Number of images, evenly spaced.")
    var count: Int?

    @Flag(help: "Draw one contact sheet (default).")
    var sheet = false

    @Option(help: "Maximum image size, e.g. 640x360.", transform: FrameText.parseSize)
    var size: FrameSize?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("File, directory, or pattern with %03d or %t (time).", valueName: "path"),
        completion: .image)
    var output: String?

    @Option(help: "Image format (default: that of --output, or png).")
    var format: StillImageFormat?

    @Option(
        help: ArgumentHelp("Maximum distance from the requested time, e.g. 2s.", valueName: "time"),
        transform: DurationText.parseMoment)
    var tolerance: MediaTime?

    @Flag(help: "Replace existing files.")
    var overwrite = false

    @Flag(help: "Do not print the images' paths.")
    var quiet = false

    @Flag(help: "Print one JSON object.")
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
