import ArchiveService
import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import RecorderStorage

/// `recorder archive plan`
struct ArchivePlanCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Inspects movies and plans how to re-encode each one.",
        usage: "recorder archive plan <directory> … --to <directory> [<options>]")
    static let examples = ["recorder archive plan /data --to /archive --plan a.plan"]

    @Argument(help: "Directories to search for movies, recursively.", completion: .directory)
    var directories: [String]

    @Option(help: "Directory for the copies; subdirectories are kept.", completion: .directory)
    var to: String

    @Option(help: ArgumentHelp("Plan file to write.", valueName: "file"), completion: .file())
    var plan = "archive.plan"

    // The name of --plan before 0.2.0; refused.
    @Option(help: .private) var jobsFile: String?

    @Option(help: ArgumentHelp("Video codec; see `recorder reencode --help`.", valueName: "codec"))
    var codec = "h264"

    @Option(help: ArgumentHelp("Quality: 0 to 100, low, medium, high or highest.", valueName: "quality"))
    var quality: String?

    @Option(help: "Constant quality, on the encoder's scale; 0 is best.", transform: EncodingText.parseQuality)
    var crf: Double?

    @Option(help: "Preset, ultrafast to placebo (default: by codec).")
    var preset: String?

    @Option(help: ArgumentHelp("Audio codec; see `recorder reencode --help`.", valueName: "codec"))
    var audioCodec: String?

    @Option(
        help: ArgumentHelp("Bit rate of AAC or Opus, e.g. 128k.", valueName: "rate"),
        transform: QuantityText.parseBitRate)
    var audioBitRate: Int?

    @Option(help: ArgumentHelp("Container of the copies: mov or mp4.", valueName: "type"))
    var container = "mov"

    @Option(help: ArgumentHelp("Threads of each encoder, on every machine.", valueName: "count"))
    var threads = ArchiveSettings.standardThreads

    @Option(
        help: ArgumentHelp("Only movies modified at most this long ago, e.g. 30d.", valueName: "age"),
        transform: DurationText.parseWithUnits)
    var newerThan: MediaTime?

    @Option(
        help: ArgumentHelp("Only movies of at least this size, e.g. 1G.", valueName: "size"),
        transform: QuantityText.parseSize)
    var minSize: Int64?

    @Option(
        help: ArgumentHelp("Split longer movies into chunks, e.g. of 8m.", valueName: "length"),
        transform: ChunkLength.parse)
    var chunks: MediaTime?

    // The name of --chunks before 0.2.0; refused.
    @Option(help: .private) var chunk: String?

    @Flag(help: "Also identify movies by SHA-256 (reads each fully).")
    var hash = false

    @Flag(help: "Print one JSON object.")
    var json = false

    private struct Answer: Encodable {
        let plan: String
        let tasks: Int
        let files: Int
        let skipped: Int
        let duration: Double
        let bytes: Int64
        let cost: Double
    }

    private var settings: ArchiveSettings {
        var settings = ArchiveSettings()
        (settings.codec, settings.quality, settings.crf, settings.preset) = (codec, quality, crf, preset)
        (settings.audioCodec, settings.audioBitRate) = (audioCodec, audioBitRate)
        (settings.container, settings.threads) = (container, threads)
        return settings
    }

    func validate() throws {
        if jobsFile != nil { throw OptionError("--jobs-file is now --plan") }
        if chunk != nil { throw OptionError("--chunk is now --chunks") }
        _ = try settings.request()
        if chunks != nil, codec == "passthrough" {
            throw OptionError("--chunks needs an encoder, and --codec passthrough has none: omit one")
        }
    }

    func run() throws {
        Heap.useOne()
        let header = ArchivePlan.Header(
            program: RecorderVersion.text, settings: settings, output: RawPath(argument: to),
            directories: directories.map { RawPath(argument: $0) })
        var choice = ArchivePlanner.Choice()
        choice.newerThan = newerThan.map { Int64(clamping: Date().timeIntervalSince1970 * 1e9) - $0.nanoseconds }
        choice.minimumSize = minSize ?? 0
        choice.hashes = hash
        choice.chunk = chunks?.seconds
        let path = FilePath.absolute(plan)
        let result: ArchivePlanner.Result
        do throws(MediaError) {
            let file = try PlanFile(path)
            result = try ArchivePlanner(header, choice).plan { line throws(MediaError) in try file.write(line) }
            // Refuses the plan now if the run would refuse it.
            try file.finish()
        } catch {
            throw CommandFailure(RecordingFailure(error.code == .outputExists ? .output : .input, error))
        }
        if json {
            StandardOutput.line(
                JSONText.line(
                    Answer(
                        plan: path, tasks: result.tasks, files: result.movies, skipped: result.skipped,
                        duration: result.duration, bytes: result.bytes, cost: result.cost)))
        } else {
            StandardOutput.line(path)
            StandardError.line(
                "  \(ArchiveText.files(result.movies)) in \(ArchiveText.tasks(result.tasks)) · "
                    + "\(NumberText.duration(result.duration)) of video · "
                    + "\(NumberText.bytes(result.bytes)) · about \(NumberText.wholeSeconds(result.cost)) of work"
                    + (result.skipped > 0 ? " · \(result.skipped) skipped: the plan has the reasons" : ""))
        }
    }
}

/// The value of `--chunks`: the approximate length of a chunk.
private enum ChunkLength {
    /// Parses "8m". Unlike the number of chunks that `reencode` takes, a length has a unit.
    static func parse(_ text: String) throws(OptionError) -> MediaTime {
        guard let time = try? DurationText.parseWithUnits(text), (60...3600).contains(time.seconds) else {
            throw OptionError(text, isNot: "a length of chunks", write: "1m to 60m")
        }
        return time
    }
}
