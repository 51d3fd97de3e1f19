import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderService

/// `recorder stop`
struct StopCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Finishes a recording; returns when the file is whole, and prints its path.")
    static let examples = ["recorder stop front yard", "mv \"$(recorder stop front)\" /tmp/front.mov"]

    @Argument(
        help: ArgumentHelp("Which ones; the only one when left out.", valueName: "name"),
        completion: .runningRecorders, transform: RecordingName.init(parsing:))
    var names: [RecordingName] = []

    @Flag(help: "Every recording of this user.")
    var all = false

    @Flag(help: "End a process that is armed, too: it does not wait for the next `start`.")
    var disarm = false

    @Flag(help: "The last status as one JSON object, instead of path and summary; a line each.")
    var json = false

    func validate() throws {
        if all, !names.isEmpty { throw OptionError("--all stops every recording: leave the names out") }
    }

    /// Every one gets its turn; the exit code is that of the first that failed.
    func run() async throws {
        let running = RunningRecordings()
        var failures: [CommandFailure] = []
        for choice in try await chosen(running) {
            do throws(CommandFailure) {
                let name: RecordingName
                do { name = try choice.get() } catch { throw CommandFailure(error.description, .failed) }
                let status: RecordingStatus
                do { status = try await running.stop(name, disarms: disarm) } catch {
                    throw CommandFailure(error.description, .failed)
                }
                show(status)
                if let error = status.error { throw CommandFailure("\(name): \(error)", .failed) }
            } catch {
                error.tell()
                failures.append(error)
            }
        }
        if let failure = failures.first { throw CommandFailure(alreadyToldOf: failure) }
    }

    /// What is to be stopped, each once, or why not.
    private func chosen(_ running: RunningRecordings) async throws -> [Result<RecordingName, OptionError>] {
        func choose(_ name: RecordingName?) -> Result<RecordingName, OptionError> {
            Result { () throws(OptionError) in try running.choose(name) }
        }
        var seen: Set<RecordingName> = []
        guard all else {
            return names.isEmpty ? [choose(nil)] : names.filter { seen.insert($0).inserted }.map { choose($0) }
        }
        let names = running.names
        if names.isEmpty { return [choose(nil)] }
        // What is armed and does not record has nothing to finish.
        var recording: [RecordingName] = []
        for name in names {
            if !disarm, (try? await running.client(name).status().state) == .armed { continue }
            recording.append(name)
        }
        return recording.map { .success($0) }
    }

    private func show(_ status: RecordingStatus) {
        if json { return StandardOutput.line(JSONText.line(status)) }
        guard status.file != nil else { return }
        for file in status.files { StandardOutput.line(file) }
        StandardError.line(status.summary)
    }
}
