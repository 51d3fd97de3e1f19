import ArgumentParser
import RecorderService

/// `recorder status`
struct StatusCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows what is recording: levels, rates, drops by cause, disk left.")
    static let examples = ["recorder status", "recorder status front --watch"]

    @Argument(help: "Which one; every one when left out.", transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Flag(help: "Again and again, until it ends: drawn over on a terminal, else a line a second.")
    var watch = false

    @Flag(help: "A JSON object on a line for each; with --watch every second.")
    var json = false

    func run() async throws {
        let running = RunningRecordings()
        do {
            if name != nil { _ = try running.choose(name) }
            if names(running).isEmpty { _ = try running.choose(name) }
        } catch {
            throw CommandFailure("\(error)", .failed)
        }
        if !watch { return try await show(running) { $0.text } }
        if StandardOutput.isTerminal, !json { return try await draw(running) }
        while !names(running).isEmpty {
            // It may end between the two looks.
            try? await show(running) { $0.line }
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func names(_ running: RunningRecordings) -> [RecordingName] {
        name.map { [$0] }?.filter(running.names.contains) ?? running.names
    }

    private func show(_ running: RunningRecordings, _ text: (RecordingStatus) -> String) async throws {
        for status in try await statuses(running) {
            StandardOutput.line(json ? JSONText.line(status) : text(status))
        }
    }

    private func statuses(_ running: RunningRecordings) async throws -> [RecordingStatus] {
        var statuses: [RecordingStatus] = []
        for name in names(running) {
            do { statuses.append(try await running.client(name).status()) } catch {
                throw CommandFailure(error.description, .failed)
            }
        }
        return statuses
    }

    /// Over and over at the same place, often enough for a meter.
    private func draw(_ running: RunningRecordings) async throws {
        StandardOutput.write("\u{1B}[2J")
        while !names(running).isEmpty {
            if let statuses = try? await statuses(running) {
                StandardOutput.redraw(statuses.map(\.text).joined(separator: "\n"))
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
