import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// The recorders that a command is about: named ones, groups, or all.
struct RecorderChoice: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Recorders, or @GROUP (default: the only one running).", valueName: "name"),
        completion: .runningRecorders, transform: RecorderSubject.init(parsing:))
    var subjects: [RecorderSubject] = []

    @Flag(help: "All running recorders of this user.")
    var all = false

    func validate() throws {
        if all, !subjects.isEmpty { throw OptionError("--all selects every recorder: omit the names") }
    }

    func chosen(_ running: RunningRecordings) async throws(CommandFailure) -> RunningRecordings.Choice {
        do throws(OptionError) {
            if all, !running.names.isEmpty { return RunningRecordings.Choice(names: running.names) }
            return try await running.choose(subjects)
        } catch {
            throw CommandFailure("\(error)", .failed)
        }
    }

    /// Sends the same request to all chosen recorders, and shows their answers in order.
    ///
    /// - Parameters:
    ///   - stage: The stage of a failure, as in `RunningRecording`.
    ///   - question: A closure that sends the request. Its second argument is the time at which all recorders are to
    ///     carry out the request; nil for a single recorder.
    /// - Throws: The exit code of the first recorder that failed, after all failures were reported.
    func ask<Answer: Sendable>(
        _ stage: RecordingFailure.Stage = .control,
        _ question: @escaping @Sendable (ControlClient, MediaTime?) async throws(MediaError) -> Answer,
        show: (RecordingName, Answer) -> Void
    ) async throws {
        let running = RunningRecordings()
        let chosen = try await chosen(running)
        let names = chosen.names
        let instant = SeveralRecordings.instant(for: names.count)
        let answers = await SeveralRecordings.ask(names) { (name) async throws(CommandFailure) in
            try await RunningRecording(name, in: running).ask(stage) { (client) async throws(MediaError) in
                try await question(client, instant)
            }
        }
        var failures = chosen.unknown.map { CommandFailure($0.description, .failed) }
        for (name, answer) in answers {
            switch answer {
            case .success(let answer): show(name, answer)
            case .failure(let failure): failures.append(failure)
            }
        }
        guard let first = failures.first else { return }
        guard names.count > 1 || failures.count > 1 else { throw first }
        for failure in failures { failure.report() }
        throw CommandFailure(alreadyToldOf: first)
    }

    /// Reports a recorder that answered a request after its time.
    static func reportLateness(_ status: RecordingStatus, _ instant: MediaTime?) {
        guard let text = SeveralRecordings.lateness(of: status.name, instant) else { return }
        StandardError.line("recorder: \(text)")
    }
}
