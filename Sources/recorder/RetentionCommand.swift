import ArgumentParser
import RecorderService

/// `recorder retention`
struct RetentionCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention", abstract: "Deletes finished recordings that the rules no longer keep.",
        usage: "recorder retention [<name>] [--dry-run] [<options>]",
        discussion: "Only files that this recorder made, finished and finds as it left them.")
    static let examples = ["recorder retention front --dry-run", "recorder retention --keep-for 30d --keep-free 5G"]

    @Argument(help: "Whose recordings.", transform: RecordingName.init(parsing:))
    var name = RecordingName.standard

    @Flag(help: "Only show what would go, and why.")
    var dryRun = false

    @OptionGroup var keeping: KeepingOptions
    @OptionGroup var file: ConfigurationFileOption

    @Flag(help: "One JSON object on standard output.")
    var json = false

    private struct Answer: Encodable {
        var dryRun: Bool
        var removals: [RetentionPlanner.Removal]
    }

    func run() throws {
        let source = ConfigurationSource(name, flags: keeping.assignments, file: file.config)
        let rules = try source.loadOrFail().retention
        if rules.keepsEverything {
            StandardError.line("recorder: \(name) keeps everything: --keep-for, --keep-size or --keep-free are rules")
        }
        let retention = Retention(name, log: LineLog.logger(level: .warning, hasTimes: false))
        let removals = dryRun ? retention.plan(rules) : retention.apply(rules)
        if json { return StandardOutput.line(JSONText.line(Answer(dryRun: dryRun, removals: removals))) }
        for removal in removals { StandardOutput.line(removal.text) }
    }
}
