import ArgumentParser
import CommandInterface
import RecorderControl
import RecorderService
import RecorderStorage

/// `recorder copy`: the command that the unit `recorder-copy@.service` starts.
struct CopyCommand: AsyncParsableCommand, InterruptibleCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copies finished recordings to an rclone remote.",
        usage: "recorder copy [<name>] [--once] [<options>]",
        discussion: """
            Runs in the foreground until SIGTERM, and copies the oldest recordings first. A recording counts as copied once its \
            copy is verified on the remote.
            """)
    static let examples = ["recorder copy front", "recorder copy front --once --copy-to nas:recordings/front"]

    @Argument(
        help: "The recorder whose recordings to copy.", completion: .recorders,
        transform: RecordingName.init(parsing:))
    var name = RecordingName.standard

    @Flag(help: "Exit when everything is copied.")
    var once = false

    @OptionGroup var copies: CopyOptions
    @OptionGroup var file: ConfigurationFileOption

    var hearsSignals: Bool { true }
    var recordsLive: Bool { false }

    func run() async throws {
        let source = ConfigurationSource(name, flags: copies.assignments, file: file.config)
        let log = JournalLog.logger(name) ?? LineLog.logger(hasTimes: true)
        for variable in source.ignoredVariables { log.warning("\(variable)") }
        do throws(RecordingFailure) { try await CopyService(name, source: source, log: log).run(once: once) } catch {
            throw CommandFailure(error)
        }
    }
}
