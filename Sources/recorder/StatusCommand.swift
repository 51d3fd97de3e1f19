import ArgumentParser
import RecorderService

/// `recorder status`
struct StatusCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows what is recording: levels, rates, drops by cause, disk left.")
    static let examples = ["recorder status", "recorder status front --json"]

    @Argument(help: "Which one; every one when left out.", transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Flag(help: "Again every second, until it ends.")
    var watch = false

    @Flag(help: "One JSON object on standard output.")
    var json = false

    func run() async throws {
        let running = RunningRecordings()
        do {
            if json || name != nil { _ = try running.choose(name) }
            try await show(running)
            while watch, !names(running).isEmpty {
                try await Task.sleep(for: .seconds(1))
                try? await show(running)
            }
        } catch let error as OptionError {
            throw CommandFailure("\(error)", .failed)
        }
    }

    private func names(_ running: RunningRecordings) -> [RecordingName] {
        name.map { [$0] }?.filter(running.names.contains) ?? running.names
    }

    private func show(_ running: RunningRecordings) async throws {
        let names = names(running)
        if names.isEmpty { _ = try running.choose(name) }
        for name in names {
            do {
                let status = try await running.client(name).status()
                StandardOutput.line(json ? JSONText.line(status) : status.text)
            } catch {
                throw CommandFailure(error.description, .failed)
            }
        }
    }
}
