import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// `recorder retention`
struct RetentionCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention", abstract: "Deletes recordings by the retention rules.",
        usage: "recorder retention [<name>] [--dry-run] [<options>]",
        discussion: """
            Deletes only finished files that this recorder wrote below its output directory and that have not changed since.
            """)
    static let examples = ["recorder retention front --dry-run", "recorder retention --keep-for 30d --keep-free 5G"]

    @Argument(
        help: "Name of the recorder (default: “default”).", completion: .recorders,
        transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Flag(help: "Only show what would be deleted, and why.")
    var dryRun = false

    @OptionGroup var options: RetentionOptions
    @Option(.output) var output: String?
    @Option(.copyTo) var copyTo: String?
    @OptionGroup var file: ConfigurationFileOption

    @Flag(help: "Print one JSON object.")
    var json = false

    private struct Answer: Encodable {
        var dryRun: Bool
        var removals: [RetentionPlanner.Removal]
    }

    func run() throws {
        let recorder = name ?? .standard
        if let name {
            do { try KnownRecorders().checkLists(of: name) } catch { throw CommandFailure(error.description, .failed) }
        }
        let flags = options.assignments + RecordingSetting.output.given(output) + RecordingSetting.copyTo.given(copyTo)
        let configuration = try ConfigurationSource(recorder, flags: flags, file: file.config).loadOrFail()
        let rules = configuration.retention
        if rules.keepsEverything {
            StandardError.line(
                "recorder: \(recorder) has no retention rules, so nothing is deleted; set --keep-for, --keep-size or "
                    + "--keep-free")
        }
        let retention = Retention(configuration, log: LineLog.logger(level: .warning, hasTimes: false))
        let planned = retention.lookAtAll(rules)
        // After a failed check, delete nothing.
        let removals = dryRun || retention.hasFailed ? planned : retention.apply(rules)
        if json {
            StandardOutput.line(JSONText.line(Answer(dryRun: dryRun, removals: removals)))
        } else {
            for removal in removals { StandardOutput.line(removal.text) }
        }
        if let elsewhere = retention.elsewhere { StandardError.line("recorder: \(elsewhere)") }
        if retention.hasFailed { throw CommandFailure("", .ioError) }
    }
}
