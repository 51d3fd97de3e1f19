import ArgumentParser
import CommandInterface
import RecorderService

/// `recorder start`
struct StartCommand: AsyncParsableCommand, InterruptibleCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Begins recording; returns when the first frame is in the file.",
        usage: "recorder start [<name>] [<options>]", discussion: "--help-hidden has the rarer options too.")
    static let examples = [
        "recorder start --camera test --microphone test --duration 10s",
        "recorder start front --camera /dev/video0 --size 1280x720 --output front.mov",
    ]

    @OptionGroup var options: RecordingOptions

    @Flag(help: "Record in this process until INT, TERM or HUP.")
    var foreground = false

    @Flag(help: "One JSON object on standard output.")
    var json = false

    var hearsSignals: Bool { foreground }
    var recordsLive: Bool { foreground }

    func run() async throws {
        let configuration = try options.source.loadOrFail()
        if options.assignments.isEmpty { try await refuseNameBesideArmed(configuration.name) }
        let (name, json) = (configuration.name, json)
        @Sendable func announce(_ file: String?, _ processID: Int32, _ retention: RetentionAccount?) {
            StandardOutput.line(
                Announcement(name: name, file: file, processID: processID, retention: retention).text(json: json))
        }
        if foreground {
            return try await RecordingHere(configuration, source: nil, hasTimes: false).run { report in
                if report.error == nil { announce(report.file, CurrentProcess.id, report.retention) }
            }
        }
        // The process gets the same words, so that a look at it shows what it was asked for.
        let words = CommandLine.arguments.dropFirst().filter { $0 != "--json" }
        let arguments = words.drop { $0 != "start" }.dropFirst()
        if let armed = try await ArmedRecording(name) {
            let started = try await armed.record(words: arguments.filter { $0 != name.description })
            return announce(started.file, started.processID, started.retention)
        }
        do {
            let started = try await BackgroundLauncher(name).start(["run"] + arguments)
            announce(started.file, started.processID, started.retention)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// A slip in the name of a process that is armed would record something else beside it.
    private func refuseNameBesideArmed(_ name: RecordingName) async throws {
        let running = RunningRecordings()
        let names = running.names.filter { Spelling.nearest(to: name.description, in: [$0.description]) != nil }
        guard !running.names.contains(name), !names.isEmpty, try options.source.resolve().isUndecided else { return }
        for other in names where try await ArmedRecording(other, in: running) != nil {
            do { try options.source.checkName(among: [other.description]) } catch { throw CommandFailure(error) }
        }
    }
}
