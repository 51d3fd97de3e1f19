import ArchiveService
import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes

/// `recorder archive run`
struct ArchiveRunCommand: AsyncParsableCommand, InterruptibleCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs a plan; can be interrupted at any time, and resumed.")
    static let examples = ["recorder archive run a.plan"]

    @OptionGroup var plan: ArchivePlanArgument

    @Option(help: "Run tasks on this machine, or with Slurm.")
    var engine: RunOptions.Engine = .local

    @Option(help: ArgumentHelp("Tasks in parallel (default: as many as fit).", valueName: "count"))
    var jobs: Int?

    @Option(help: ArgumentHelp("Niceness of local workers (default: 19), or of Slurm jobs.", valueName: "niceness"))
    var nice: Int?

    @Option(help: "Slurm partition.") var partition: String?
    @Option(help: "Slurm account.") var account: String?
    @Option(help: "Slurm quality of service.") var qos: String?

    @Option(
        help: ArgumentHelp("Slurm time limit of a task, e.g. 4h.", valueName: "time"),
        transform: DurationText.parseWithUnits)
    var timeLimit: MediaTime?

    @Option(
        help: ArgumentHelp(
            "Working directory on each machine's own disk; movies are copied in and out.", valueName: "directory"),
        completion: .directory)
    var stage: String?

    @Flag(help: "Keep the sources (default).")
    var keepSource = false

    @Flag(help: "Delete each source once its copy is verified and on the disk.")
    var replace = false

    @Flag(help: "As --replace, and also if the copy lacks something, such as subtitles.")
    var replaceIncomplete = false

    @Flag(help: "Show no progress.")
    var quiet = false

    @Flag(help: "Print one JSON object, as `report` does.")
    var json = false

    var hearsSignals: Bool { true }
    var recordsLive: Bool { false }

    func validate() throws {
        if keepSource, replace || replaceIncomplete {
            let other = replace ? "--replace" : "--replace-incomplete"
            throw OptionError("--keep-source and \(other) cannot be combined: omit one")
        }
        if let jobs, !(1...10_000).contains(jobs) {
            throw OptionError(String(jobs), isNot: "a number of tasks", write: "1 to 10000")
        }
        if engine == .local {
            if partition != nil || account != nil || qos != nil || timeLimit != nil {
                throw OptionError("--partition, --account, --qos and --time-limit need --engine slurm")
            }
            if let nice, !(0...19).contains(nice) {
                throw OptionError(String(nice), isNot: "a niceness for workers", write: "0 to 19")
            }
        }
    }

    func run() async throws {
        var options = RunOptions()
        (options.engine, options.jobs, options.replaces) = (engine, jobs, replace || replaceIncomplete)
        options.replacesIncomplete = replaceIncomplete
        options.stage = stage.map { FilePath.absolute($0) }
        if let nice, engine == .local { options.niceness = nice }
        options.slurm.nice = engine == .slurm ? nice : nil
        (options.slurm.partition, options.slurm.account, options.slurm.qos) = (partition, account, qos)
        options.slurm.timeLimit = timeLimit.map { Int(($0.nanoseconds + 59_999_999_999) / 60_000_000_000) }
        options.slurm.throttle = jobs
        try await ArchiveRunning(plan: plan, options: options, isQuiet: quiet, json: json).run()
    }
}

/// `recorder archive resume`
struct ArchiveResumeCommand: AsyncParsableCommand, InterruptibleCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Continues a plan, with the options of its last run.")
    static let examples = ["recorder archive resume a.plan"]

    @OptionGroup var plan: ArchivePlanArgument

    @Flag(help: "Show no progress.")
    var quiet = false

    @Flag(help: "Print one JSON object, as `report` does.")
    var json = false

    var hearsSignals: Bool { true }
    var recordsLive: Bool { false }

    func run() async throws {
        let options = RunOptions.load(plan.directory) ?? RunOptions()
        try await ArchiveRunning(plan: plan, options: options, isQuiet: quiet, json: json).run()
    }
}

extension RunOptions.Engine: ExpressibleByArgument {}
