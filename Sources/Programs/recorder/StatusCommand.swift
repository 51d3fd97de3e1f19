import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// `recorder status`
struct StatusCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows running recorders, and those that failed.",
        usage: "recorder status [<name> ...] [<options>]",
        discussion: """
            Shows one recorder in full, several with one line each. A recorder that died, or stopped because of a full disk or \
            another error, is shown until it is started again or acknowledged.
            """)
    static let examples = ["recorder status front --watch", "recorder status front --acknowledge"]

    @Argument(
        help: ArgumentHelp("Recorders, or @GROUP (default: all).", valueName: "name"),
        completion: .runningRecorders, transform: RecorderSubject.init(parsing:))
    var subjects: [RecorderSubject] = []

    @Flag(help: "Update until recording ends: in place on a terminal, else one line per second.")
    var watch = false

    @Flag(help: "Print one line of JSON for each recorder; with --watch every second.")
    var json = false

    @Flag(help: "Stop showing recorders that died or failed.")
    var acknowledge = false

    @Flag(help: "Print in Prometheus text format which recorders run, and how the others ended.")
    var prometheus = false

    func validate() throws {
        if [watch, json, prometheus, acknowledge].count(where: \.self) > (watch && json ? 2 : 1) {
            throw OptionError(
                "--watch, --json, --prometheus and --acknowledge cannot be combined, except --watch with --json")
        }
    }

    func run() async throws {
        let running = RunningRecordings()
        if prometheus { return StandardOutput.write(RecorderEnds().prometheusText(try await named(running))) }
        if acknowledge { return try await acknowledgeEnds(running) }
        guard watch else { return try await showOnce(running) }
        if StandardOutput.isTerminal, !json { return try await draw(running) }
        var isThere = await !names(running).isEmpty
        if !isThere { StandardError.line("recorder: \(waiting)") }
        var hasBegun = false
        var reported: Set<String> = []
        while isThere || !hasBegun {
            hasBegun = hasBegun || isThere
            let (statuses, errors) = await statuses(running)
            show(statuses) { $0.map(\.line) }
            for error in errors where !reported.contains(error) { StandardError.line("recorder: \(error)") }
            reported = Set(errors)
            try await Task.sleep(for: hasBegun ? .seconds(1) : .milliseconds(200))
            isThere = await !names(running).isEmpty
        }
    }

    /// Returns the named recorders, with the members of the named groups.
    private func named(_ running: RunningRecordings) async throws -> [RecordingName] {
        do throws(OptionError) { return try await running.named(subjects) } catch {
            throw CommandFailure(error.description, .failed)
        }
    }

    private func acknowledgeEnds(_ running: RunningRecordings) async throws {
        let (ends, known) = (RecorderEnds(), KnownRecorders())
        let names = try await named(running)
        // Nothing is acknowledged if one of the names is unknown.
        do throws(OptionError) { for name in names { try known.check(name) } } catch {
            throw CommandFailure(error.description, .failed)
        }
        for name in subjects.isEmpty ? ends.names : names {
            guard let end = ends.end(of: name) else { continue }
            do { try ends.acknowledge(name) } catch { throw CommandFailure(error.description, .failed) }
            StandardOutput.line("acknowledged: \(end.text)")
        }
    }

    /// Shows running recorders, then those that ended early. Exits with 1 if a named recorder does not run, if a
    /// recorder does not answer, or if none runs.
    private func showOnce(_ running: RunningRecordings) async throws {
        let ends = RecorderEnds()
        var shown = subjects.isEmpty ? ends.all : []
        var failures: [CommandFailure] = []
        for subject in subjects.isEmpty && running.names.isEmpty ? [nil] : subjects.map(Optional.some) {
            var ended = shown
            if let subject {
                ended = ((try? await running.named([subject])) ?? []).compactMap { ends.end(of: $0) }
                shown += ended.filter { !shown.contains($0) }
            }
            do {
                let chosen = try await running.choose(subject.map { [$0] } ?? [])
                failures += chosen.unknown.map { CommandFailure($0.description, .failed) }
            } catch {
                // If there are ends, they say why the recorder does not run.
                if ended.isEmpty { failures.append(CommandFailure("\(error)", .failed)) }
            }
        }
        let (statuses, errors) = await statuses(running)
        show(statuses, as: text)
        failures += errors.map { CommandFailure($0, .failed) }
        for end in shown { StandardOutput.line(json ? JSONText.line(end) : end.text) }
        if subjects.isEmpty, !(running.names.isEmpty && shown.isEmpty) {
            for other in ends.allElsewhere { StandardError.line("recorder: \(other.text)") }
        }
        for failure in failures { failure.report() }
        if let failure = failures.first { throw CommandFailure(alreadyToldOf: failure) }
        guard !shown.isEmpty, !subjects.isEmpty || running.names.isEmpty else { return }
        throw CommandFailure("", .failed)
    }

    private var waiting: String {
        guard subjects.count == 1, case .recorder(let name) = subjects[0] else {
            return "nothing is recording yet; waiting"
        }
        return "\(name) is not recording yet; waiting"
    }

    /// Returns the named recorders that run; all running recorders if none was named.
    private func names(_ running: RunningRecordings) async -> [RecordingName] {
        guard !subjects.isEmpty else { return running.names }
        var names: [RecordingName] = []
        for subject in subjects { names += (try? await running.choose([subject]))?.names ?? [] }
        var seen: Set<RecordingName> = []
        return names.filter { seen.insert($0).inserted }
    }

    private func show(_ statuses: [RecordingStatus], as text: ([RecordingStatus]) -> [String]) {
        for line in json ? statuses.map({ JSONText.line($0) }) : text(statuses) { StandardOutput.line(line) }
    }

    /// Returns the full status of a single recorder, else one line for each.
    private func text(_ statuses: [RecordingStatus]) -> [String] {
        statuses.map { statuses.count == 1 ? $0.text : $0.line }
    }

    /// Asks all recorders at the same time.
    ///
    /// - Returns: The statuses, and an error for each recorder that does not answer.
    private func statuses(_ running: RunningRecordings) async -> (statuses: [RecordingStatus], errors: [String]) {
        var statuses: [RecordingStatus] = []
        var errors: [String] = []
        let names = await names(running)
        let answers = await SeveralRecordings.ask(names) { (name) async throws(MediaError) in
            try await running.client(name).status()
        }
        for (_, answer) in answers {
            switch answer {
            case .success(let status): statuses.append(status)
            case .failure(let error):
                // If several recorders are shown, skip one that has just ended. With --watch, its end is the normal
                // end.
                if error.code == .notFound, names.count > 1 || watch { continue }
                errors.append(error.description)
            }
        }
        return (statuses, errors)
    }

    /// Redraws the status in place, as often as a level meter needs. The last status remains on the normal screen.
    private func draw(_ running: RunningRecordings) async throws {
        var last: [String] = []
        try await AlternateScreen.show {
            while true {
                if await names(running).isEmpty {
                    guard last.isEmpty else { return }
                    StandardOutput.redraw(waiting)
                } else {
                    let (statuses, errors) = await statuses(running)
                    // A recorder may end between the two checks.
                    if !statuses.isEmpty || !errors.isEmpty {
                        last = text(statuses) + errors
                        StandardOutput.redraw(last.joined(separator: "\n"))
                    }
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        for line in last { StandardOutput.line(line) }
    }
}
