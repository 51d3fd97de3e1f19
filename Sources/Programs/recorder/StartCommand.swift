import ArgumentParser
import CommandInterface
import FileSystem
import RecorderControl
import RecorderStorage

/// `recorder start`
struct StartCommand: AsyncParsableCommand, RecordingCommand, InterruptibleCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Starts recording in the background.",
        usage: "recorder start [<name> ...] [<options>]",
        discussion: "Returns once the first frame is written. More options: --help-hidden.")
    static let examples = [
        "recorder start --camera test --microphone test --duration 10s",
        "recorder start front --camera /dev/video0 --size 1280x720 --output front.mov",
    ]

    @Argument(
        help: ArgumentHelp("Recorders, or @GROUP; all start at the same instant.", valueName: "name"),
        completion: .recorders, transform: RecorderSubject.init(parsing:))
    var subjects: [RecorderSubject] = []

    @OptionGroup(title: "Devices") var devices: DeviceOptions
    @OptionGroup(title: "Devices") var frames: FrameStageOptions
    @OptionGroup(title: "Encoding") var encoding: EncodingOptions
    @OptionGroup(title: "Files") var files: FileOptions
    @OptionGroup(title: "Files") var retention: RetentionOptions
    @OptionGroup(title: "Files") var copies: CopyOptions
    @OptionGroup(title: "Service") var service: ServiceOptions
    @OptionGroup(title: "Service") var configurationFile: ConfigurationFileOption

    @Flag(help: "Record in the foreground until INT, TERM or HUP.")
    var foreground = false

    @Flag(help: ArgumentHelp("Start the recorders that can start, even if others cannot.", visibility: .hidden))
    var asManyAsCan = false

    @Flag(help: "Print one line of JSON for each recorder.")
    var json = false

    var hearsSignals: Bool { foreground }
    var recordsLive: Bool { foreground }

    func run() async throws {
        let words = subjects.isEmpty ? [RecorderSubject.recorder(.standard)] : subjects
        if words.count == 1, case .recorder(let name) = words[0] { return try await start(name) }
        if foreground { throw CommandFailure("--foreground records only one recorder: give one name", .usage) }
        try await StartOfSeveral(subjects: words, options: options, takesSome: asManyAsCan, json: json).run()
    }

    private func start(_ name: RecordingName) async throws {
        let reader = ConfigurationReader(options.source(of: name))
        let configuration: RecordingConfiguration
        do throws(RecordingFailure) { configuration = try reader.load() } catch { throw CommandFailure(error) }
        if options.assignments.isEmpty { try await refuseNameBesideArmed(name) }
        if let loss = configuration.lossOfChannels() { StandardError.line("left out: \(loss)") }
        let json = json
        @Sendable func announce(
            _ file: String?, _ processID: Int32, _ retention: RetentionAccount?, _ repaired: [RepairedRecording] = []
        ) {
            let announcement = Announcement(
                name: name, file: file, processID: processID, retention: retention, repaired: repaired)
            StandardOutput.line(announcement.text(json: json))
        }
        if foreground {
            // HUP ends the recording, because the terminal is gone.
            return try await RecordingHere(
                configuration, reader: reader, reloadsOnHangup: false, hasTimes: false
            ).run { report in
                // The log, on this terminal, has already reported a repair to the user.
                if report.error == nil {
                    announce(report.file, CurrentProcess.id, report.retention, json ? report.repaired ?? [] : [])
                }
            }
        }
        // The process gets the same arguments, so that ps(1) shows its options.
        let words = ProcessText.arguments.dropFirst().filter { $0 != "--json" }
        let arguments = words.drop { $0 != "start" }.dropFirst()
        if let armed = try await ArmedRecording(name) {
            let started = try await armed.record(words: arguments.filter { $0 != name.description })
            return announce(started.file, started.processID, started.retention)
        }
        InterruptMessage.set("\(name) continues to start in the background; `recorder stop \(name) --disarm` ends it")
        defer { InterruptMessage.clear() }
        do {
            let started = try await BackgroundLauncher(name).start(["run"] + arguments)
            announce(started.file, started.processID, started.retention, started.repaired)
            if let warning = started.warning { StandardError.line("recorder: warning: \(warning)") }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Refuses a name that is similar to the name of an armed process. Otherwise a typing error would start a second
    /// recorder.
    private func refuseNameBesideArmed(_ name: RecordingName) async throws {
        let running = RunningRecordings()
        let names = running.names.filter { Spelling.nearest(to: name.description, in: [$0.description]) != nil }
        guard !running.names.contains(name), !names.isEmpty, try options.source(of: name).resolve().isUndecided else {
            return
        }
        for other in names where try await ArmedRecording(other, in: running) != nil {
            do { try options.source(of: name).checkName(among: [other.description]) } catch {
                throw CommandFailure(error)
            }
        }
    }
}
