import CommandInterface
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage

/// `recorder start` for several recorders, or for a group.
struct StartOfSeveral {
    let subjects: [RecorderSubject]
    let options: RecordingOptions
    let takesSome: Bool
    let json: Bool

    func run() async throws {
        let running = RunningRecordings()
        let names = try await names(running)
        let absent = names.filter { !running.names.contains($0) }
        try check(absent)
        var armed: [RecordingName] = []
        for name in absent where try options.source(of: name).loadOrFail().isArmed { armed.append(name) }
        guard armed.isEmpty || armed == names else {
            throw CommandFailure(
                "cannot start these together: \(list(armed)) would only be armed, and the others would record; arm all of "
                    + "them, or none", .usage)
        }
        let all = names.map(\.description).joined(separator: " ")
        InterruptMessage.set(
            "what has been started continues in the background; `recorder stop \(all) --disarm` ends it")
        defer { InterruptMessage.clear() }
        let outcome = await armed.isEmpty ? begin(names, running) : arm(names, running)
        for failure in outcome.failures { CommandFailure(failure.error).report() }
        guard let first = outcome.failures.first else { return }
        if !takesSome, names.count > outcome.failures.count, !json {
            let others = names.filter { name in !outcome.failures.contains { $0.name == name } }
            StandardError.line(
                "recorder: none of them was started; --as-many-as-can starts \(list(others))")
        }
        throw CommandFailure(alreadyToldOf: CommandFailure(first.error))
    }

    /// Refuses several names without a configuration and without options. These recorders would be identical, so the
    /// user probably meant something else, such as one name of several words.
    private func check(_ names: [RecordingName]) throws {
        var undecided: [RecordingName] = []
        do throws(RecordingFailure) {
            for name in names where try options.source(of: name).resolve().isUndecided { undecided.append(name) }
        } catch {
            throw CommandFailure(error)
        }
        guard undecided.isEmpty else {
            throw CommandFailure(
                "cannot start these together: no settings for \(list(undecided)); give options, such as --camera, or write "
                    + "a file, such as \(undecided[0]).yaml", .usage)
        }
    }

    private func begin(_ names: [RecordingName], _ running: RunningRecordings) async -> SimultaneousStart.Outcome {
        let (words, hasOptions) = (words, !words.isEmpty)
        let repaired = Locked<[RecordingName: [RepairedRecording]]>([:])
        let means = SimultaneousStart.Means(
            status: { name throws(MediaError) in
                guard running.names.contains(name) else { return nil }
                let status = try await running.client(name).status()
                guard status.state == .armed, hasOptions else { return status }
                throw MediaError(
                    .invalidSettings, "cannot start \(name)", reason: "it is already armed, with its own options",
                    wayOut: "omit the options, or first run `recorder stop \(name) --disarm`")
            },
            launch: { name throws(StartError) in
                let started = try await BackgroundLauncher(name).start(
                    ["run", name.description, "--await-start"] + words)
                repaired.withLock { $0[name] = started.repaired }
                warn(started)
            },
            record: { name, instant throws(MediaError) in try await running.client(name).record(at: instant) },
            end: { name, isLaunched in _ = try? await running.stop(name, disarms: isLaunched) })
        let outcome = await SimultaneousStart(means, asManyAsCan: takesSome).begin(names)
        for status in outcome.begun {
            guard let name = try? RecordingName(parsing: status.name) else { continue }
            announce(
                name, file: status.file, processID: running.directory.processID(name) ?? 0, status.retention,
                repaired.withLock { $0[name] } ?? [])
        }
        return outcome
    }

    /// Arms all recorders. They then wait for the request to record.
    private func arm(_ names: [RecordingName], _ running: RunningRecordings) async -> SimultaneousStart.Outcome {
        let words = words
        var outcome = SimultaneousStart.Outcome()
        var launched: [(name: RecordingName, started: BackgroundLauncher.Started)] = []
        let answers = await SeveralRecordings.ask(names) { name throws(StartError) in
            try await BackgroundLauncher(name).start(["run", name.description] + words)
        }
        for (name, answer) in answers {
            switch answer {
            case .success(let started): launched.append((name, started))
            case .failure(let error): outcome.failures.append((name, error))
            }
        }
        guard takesSome || outcome.failures.isEmpty else {
            for (name, _) in launched { _ = try? await running.stop(name, disarms: true) }
            return outcome
        }
        for (name, started) in launched {
            announce(name, file: started.file, processID: started.processID, started.retention, started.repaired)
            warn(started)
        }
        return outcome
    }

    private func announce(
        _ name: RecordingName, file: String?, processID: Int32, _ retention: RetentionAccount?,
        _ repaired: [RepairedRecording]
    ) {
        let announcement = Announcement(
            name: name, file: file, processID: processID, retention: retention, repaired: repaired)
        StandardOutput.line(announcement.text(json: json))
    }

    private func warn(_ started: BackgroundLauncher.Started) {
        if let warning = started.warning { StandardError.line("recorder: warning: \(warning)") }
    }

    private func list(_ names: [RecordingName]) -> String { names.map(\.description).joined(separator: ", ") }

    /// The options as arguments, which every recorder's process gets.
    private var words: [String] {
        options.assignments.map(\.word)
            + (options.file.map { ["--config=\(FilePath.absolute($0))"] } ?? [])
    }

    /// Returns each name once. A group consists of its running and its configured recorders.
    private func names(_ running: RunningRecordings) async throws(CommandFailure) -> [RecordingName] {
        var names: [RecordingName] = []
        for subject in subjects {
            switch subject {
            case .recorder(let name): names.append(name)
            case .group(let group):
                let configured = ConfigurationSource(.standard).members(of: group)
                let found = await running.members(of: group)
                for error in found.unknown { StandardError.line("recorder: \(error)") }
                let members = found.names + configured
                if members.isEmpty {
                    throw CommandFailure(
                        "no recorder belongs to group \(group); set `group: \(group)` in a recorder's file, or use "
                            + "--group \(group)", .usage)
                }
                names += members.sorted { $0.description < $1.description }
            }
        }
        var seen: Set<RecordingName> = []
        return names.filter { seen.insert($0).inserted }
    }
}
