import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// `recorder stop`
struct StopCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stops recording and prints the path of the file.")
    static let examples = ["recorder stop front yard", "mv \"$(recorder stop front)\" /tmp/front.mov"]

    @OptionGroup var choice: RecorderChoice

    @Flag(help: "Also end an armed process instead of letting it wait for the next `start`.")
    var disarm = false

    @Flag(help: "Print each final status as one line of JSON, instead of path and summary.")
    var json = false

    /// Stops all chosen recorders at the same time. The exit code is that of the first one that failed.
    func run() async throws {
        let running = RunningRecordings()
        let (names, unknown) = try await chosen(running)
        let instant = SeveralRecordings.instant(for: names.count)
        var failures = unknown
        for failure in unknown { failure.report() }
        let answers = await SeveralRecordings.ask(names) { [disarm, json] (name) async throws(MediaError) in
            let progress = json ? nil : Task { await Self.reportWaiting(name, running) }
            defer { progress?.cancel() }
            return try await running.stop(name, disarms: disarm, at: instant)
        }
        for (name, answer) in answers {
            let failure: CommandFailure
            switch answer {
            case .failure(let error): failure = CommandFailure(error.description, .failed)
            case .success(let status):
                show(status)
                guard let error = status.error else { continue }
                failure = CommandFailure("\(name): \(error)", .failed)
            }
            failure.report()
            failures.append(failure)
        }
        if let failure = failures.first { throw CommandFailure(alreadyToldOf: failure) }
    }

    /// Reports why a recording has not ended yet: after two seconds, then every ten seconds.
    private static func reportWaiting(_ name: RecordingName, _ running: RunningRecordings) async {
        var pause = Duration.seconds(2)
        while true {
            do { try await Task.sleep(for: pause) } catch { return }
            guard let status = try? await running.client(name).status(), !Task.isCancelled else { return }
            StandardError.line("recorder: \(status.finishing)")
            pause = .seconds(10)
        }
    }

    /// Returns the recorders to stop, each once, and a failure for each name that cannot be stopped. The other
    /// recorders are stopped even so.
    private func chosen(
        _ running: RunningRecordings
    ) async throws -> (names: [RecordingName], failures: [CommandFailure]) {
        var names: [RecordingName] = []
        var failures: [CommandFailure] = []
        // An armed recorder that does not record has nothing to finalize.
        if choice.all, !running.names.isEmpty {
            for name in running.names {
                if !disarm, (try? await running.client(name).status().state) == .armed { continue }
                names.append(name)
            }
            return (names, [])
        }
        for subject in choice.subjects.isEmpty ? [nil] : choice.subjects.map(Optional.some) {
            do throws(OptionError) {
                let chosen = try await running.choose(subject.map { [$0] } ?? [])
                names += chosen.names
                failures += chosen.unknown.map { CommandFailure($0.description, .failed) }
            } catch {
                failures.append(CommandFailure(error.description, .failed))
            }
        }
        var seen: Set<RecordingName> = []
        return (names.filter { seen.insert($0).inserted }, failures)
    }

    private func show(_ status: RecordingStatus) {
        if json { return StandardOutput.line(JSONText.line(status)) }
        guard status.file != nil else { return }
        for file in status.files { StandardOutput.line(file) }
        StandardError.line(status.summary)
    }
}
