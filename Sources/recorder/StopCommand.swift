import ArgumentParser
import MediaTypes
import RecorderService

/// `recorder stop`
struct StopCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Finishes a recording; returns when the file is whole, and prints its path.")
    static let examples = ["recorder stop", "mv \"$(recorder stop front)\" /tmp/front.mov"]

    @Argument(help: "Which one; the only one when left out.", transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Flag(help: "Every recording of this user.")
    var all = false

    @Flag(help: "End a process that is armed, too: it does not wait for the next `start`.")
    var disarm = false

    @Flag(help: "The last status as one JSON object, instead of path and summary.")
    var json = false

    func validate() throws {
        if all, name != nil { throw OptionError("--all stops every recording: leave the name out") }
        if all, json { throw OptionError("--json gives one object: stop one recording after the other") }
    }

    func run() async throws {
        let running = RunningRecordings()
        var failure: CommandFailure?
        for name in try await names(running) {
            do {
                let status = try await running.stop(name, disarms: disarm)
                show(status)
                if let error = status.error { failure = CommandFailure("\(name): \(error)", .failed) }
            } catch {
                failure = CommandFailure(error.description, .failed)
            }
        }
        if let failure { throw failure }
    }

    private func names(_ running: RunningRecordings) async throws -> [RecordingName] {
        do {
            guard all else { return [try running.choose(name)] }
            let names = running.names
            if names.isEmpty { _ = try running.choose(nil) }
            if disarm { return names }
            // What is armed and does not record has nothing to finish.
            var recording: [RecordingName] = []
            for name in names where (try? await running.client(name).status().state) != .armed {
                recording.append(name)
            }
            return recording
        } catch {
            throw CommandFailure("\(error)", .failed)
        }
    }

    private func show(_ status: RecordingStatus) {
        if json { return StandardOutput.line(JSONText.line(status)) }
        guard status.file != nil else { return }
        for file in status.files { StandardOutput.line(file) }
        StandardError.line(status.summary)
    }
}
