import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// `recorder snapshot`
struct SnapshotCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Saves the newest frame as an image; prints its path.",
        usage: "recorder snapshot [<name>] --output <file>")
    static let examples = [
        "recorder snapshot -o now.jpg", "recorder snapshot front -o - --format png > now.png",
    ]

    @Argument(
        help: "The recorder (default: the only one running).", completion: .runningRecorders,
        transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A .jpg or .png file, or - for standard output.", valueName: "file"), completion: .image)
    var output: String

    @Option(help: "Image format (default: that of --output; jpeg for -).")
    var format: StillImageFormat?

    @Flag(help: "Replace an existing file.")
    var overwrite = false

    @Flag(help: "Print name, path and size as one JSON object.")
    var json = false

    private var isStream: Bool { output == "-" }

    private var chosenFormat: StillImageFormat? {
        let ending = output.split(separator: "/").last?.split(separator: ".").dropFirst().last
        return format ?? (isStream ? .jpeg : ending.flatMap { StillImageFormat(fileExtension: String($0)) })
    }

    func validate() throws {
        guard chosenFormat != nil else {
            throw OptionError(
                "“\(output.prefix(80))” has no known image format: end it in .jpg or .png, or use --format")
        }
        if isStream, json { throw OptionError("--json and --output - both write to standard output: omit one") }
    }

    func run() async throws {
        let format = chosenFormat ?? .jpeg
        let recording = try RunningRecording(name)
        if !isStream { try write { path throws(MediaError) in try SnapshotFile.check(path, overwrite: overwrite) } }
        let image = try await recording.ask { (client) async throws(MediaError) in
            try await client.snapshot(format)
        }
        if isStream { return StandardOutput.write(image) }
        try write { path throws(MediaError) in try SnapshotFile.write(image, to: path, overwrite: overwrite) }
        let report = SnapshotFile(name: recording.name, path: FilePath.absolute(output), image: image)
        StandardOutput.line(json ? JSONText.line(report) : report.file)
    }

    private func write(_ body: (String) throws(MediaError) -> Void) throws(CommandFailure) {
        do throws(MediaError) { try body(FilePath.absolute(output)) } catch {
            throw CommandFailure(RecordingFailure(.output, error))
        }
    }
}
