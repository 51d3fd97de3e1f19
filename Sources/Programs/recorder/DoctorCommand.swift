import ArgumentParser
import CommandInterface
import RecorderService
import RecorderStorage

/// `recorder doctor`
struct DoctorCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks whether this machine can record.",
        usage: "recorder doctor [<name> ...] [<options>]",
        discussion: """
            Checks permissions, devices, disks, the clock, limits and what is installed, for this user, and prints how to fix \
            what is wrong. Changes nothing; writes up to 32 MiB on each disk to measure it. Exits with 69 if something prevents \
            recording.
            """)
    static let examples = ["recorder doctor", "recorder doctor front --json"]

    @Argument(
        help: ArgumentHelp("Recorders, or @GROUP (default: all that are configured).", valueName: "name"),
        completion: .recorders, transform: RecorderSubject.init(parsing:))
    var subjects: [RecorderSubject] = []

    @OptionGroup var file: ConfigurationFileOption

    @Flag(help: "Also print the system and its devices, and test the encoders, for a bug report.")
    var report = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        if file.config != nil, subjects.count > 1 || subjects.contains(where: \.isGroup) {
            throw OptionError("--config is for one recorder: write one name")
        }
        if report, json { throw OptionError("--report and --json cannot be combined") }
    }

    func run() throws {
        let choice: DoctorChoice
        do throws(OptionError) { choice = try DoctorChoice(subjects, file: file.config) } catch {
            throw CommandFailure(error.description, .failed)
        }
        let answer = Doctor.examine(choice, triesEncoders: report)
        StandardOutput.line(json ? JSONText.line(answer) : report ? answer.fullText : answer.text)
        // The problems have already been printed.
        if answer.exitCode != .done { throw CommandFailure("", answer.exitCode) }
    }
}

extension RecorderSubject {
    fileprivate var isGroup: Bool { if case .group = self { true } else { false } }
}
