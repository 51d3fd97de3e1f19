import ArgumentParser
import CommandInterface
import RecorderControl
import RecorderStorage

/// `recorder run`: the command that `start` runs in the background, and that a service runs.
struct RunCommand: AsyncParsableCommand, RecordingCommand, InterruptibleCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Records in the foreground, for services.",
        usage: "recorder run [<name>] [<options>]",
        discussion: "On SIGTERM it finalizes the file and exits. More options: --help-hidden.")
    static let examples = [
        "recorder run --camera test --microphone test --duration 10s",
        "recorder run front --camera /dev/video0 --bit-rate 6M",
    ]

    @Argument(help: "Name of the recorder.", completion: .recorders, transform: RecordingName.init(parsing:))
    var name = RecordingName.standard

    @OptionGroup(title: "Devices") var devices: DeviceOptions
    @OptionGroup(title: "Devices") var frames: FrameStageOptions
    @OptionGroup(title: "Encoding") var encoding: EncodingOptions
    @OptionGroup(title: "Files") var files: FileOptions
    @OptionGroup(title: "Files") var retention: RetentionOptions
    @OptionGroup(title: "Files") var copies: CopyOptions
    @OptionGroup(title: "Service") var service: ServiceOptions
    @OptionGroup(title: "Service") var configurationFile: ConfigurationFileOption

    /// The descriptor of a pipe that receives a `StartReport`.
    @Option(help: .private) var reportDescriptor: Int32?

    /// Opens the devices, and waits until a recording is requested. The process ends after this recording.
    @Flag(help: .private) var awaitStart = false

    var hearsSignals: Bool { true }
    var recordsLive: Bool { true }

    func run() async throws {
        let reader = ConfigurationReader(options.source(of: name))
        var configuration: RecordingConfiguration
        do throws(RecordingFailure) { configuration = try reader.load() } catch {
            // The file may have changed since `start` read it.
            if let reportDescriptor { StartReport(error).send(to: reportDescriptor) }
            throw CommandFailure(error)
        }
        if awaitStart { (configuration.isArmed, configuration.isArmedOnce) = (true, true) }
        // If `start` waits for this process, do not number a name that is in use: the user can choose another one.
        configuration.numbersTakenNames = reportDescriptor == nil
        try await RecordingHere(configuration, reader: reader, reloadsOnHangup: true, hasTimes: true).run {
            [reportDescriptor] report in
            if let reportDescriptor { report.send(to: reportDescriptor) }
        }
    }
}
