import ArchiveService
import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import RecorderService

/// `recorder archive plan`
struct ArchivePlanCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Looks at films, and writes down what is to be done with each.",
        usage: "recorder archive plan <directory> … --to <directory> [<options>]")
    static let examples = ["recorder archive plan /data --to /archive --jobs-file a.plan"]

    @Argument(help: "Where the films are; what is below them too.", completion: .directory)
    var directories: [String]

    @Option(help: "Where the copies go, in the same directories.", completion: .directory)
    var to: String

    @Option(help: ArgumentHelp("The plan.", valueName: "file"), completion: .file())
    var jobsFile = "archive.plan"

    @Option(help: ArgumentHelp("As of `reencode`.", valueName: "codec"))
    var codec = "h264"

    @Option(help: ArgumentHelp("As of `reencode`.", valueName: "quality"))
    var quality: String?

    @Option(help: "As of `reencode`.", transform: EncodingText.parseQuality)
    var crf: Double?

    @Option(help: "As of `reencode`.")
    var preset: String?

    @Option(help: ArgumentHelp("As of `reencode`.", valueName: "codec"))
    var audioCodec: String?

    @Option(
        help: ArgumentHelp("Of aac, as 128k.", valueName: "rate"), transform: QuantityText.parseBitRate)
    var audioBitRate: Int?

    @Option(help: ArgumentHelp("mov or mp4.", valueName: "type"))
    var container = "mov"

    @Option(help: ArgumentHelp("Of each encoder, on every machine.", valueName: "count"))
    var threads = ArchiveSettings.standardThreads

    @Option(
        help: ArgumentHelp("Only films changed since then: 30d.", valueName: "age"),
        transform: DurationText.parseWithUnits)
    var newerThan: MediaTime?

    @Option(
        help: ArgumentHelp("Only films of at least so much: 1G.", valueName: "size"),
        transform: QuantityText.parseSize)
    var minSize: Int64?

    @Option(
        help: ArgumentHelp("Cut longer films into stretches of about: 8m.", valueName: "time"),
        transform: DurationText.parseWithUnits)
    var chunk: MediaTime?

    @Flag(help: "Read every film, and know it by its SHA-256 too.")
    var hash = false

    @Flag(help: "One JSON object on standard output.")
    var json = false

    private struct Answer: Encodable {
        let plan: String
        let tasks: Int
        let films: Int
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
        _ = try settings.request()
        guard let chunk else { return }
        guard (60...3600).contains(chunk.seconds) else {
            throw OptionError(NumberText.duration(chunk.seconds), isNot: "a length of stretches", write: "1m to 60m")
        }
        if codec == "passthrough" {
            throw OptionError("--chunk is for films that are encoded: leave out one of the two")
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
        choice.chunk = chunk?.seconds
        let path = FilePath.absolute(jobsFile)
        let result: ArchivePlanner.Result
        do throws(MediaError) {
            let file = try PlanFile(path)
            result = try ArchivePlanner(header, choice).plan { line throws(MediaError) in try file.write(line) }
            // Refuse now what the run would refuse.
            try file.finish()
        } catch {
            throw CommandFailure(RecordingFailure(error.code == .outputExists ? .output : .input, error))
        }
        if json {
            StandardOutput.line(
                JSONText.line(
                    Answer(
                        plan: path, tasks: result.tasks, films: result.films, skipped: result.skipped,
                        duration: result.duration, bytes: result.bytes, cost: result.cost)))
        } else {
            StandardOutput.line(path)
            StandardError.line(
                "  \(result.films) films in \(result.tasks) tasks · \(NumberText.duration(result.duration)) of film · "
                    + "\(NumberText.bytes(result.bytes)) · about \(NumberText.wholeSeconds(result.cost)) of work"
                    + (result.skipped > 0 ? " · \(result.skipped) left out: the plan says why" : ""))
        }
    }
}
