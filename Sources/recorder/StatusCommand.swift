import ArgumentParser
import CommandInterface
import RecorderService

/// `recorder status`
struct StatusCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows what is recording, and how it goes.",
        discussion: "One recorder in full; of several a line each.")
    static let examples = ["recorder status", "recorder status front --watch"]

    @Argument(
        help: "Which one; every one when left out.", completion: .runningRecorders,
        transform: RecordingName.init(parsing:))
    var name: RecordingName?

    @Flag(help: "Again and again, until it ends: drawn over on a terminal, else a line a second.")
    var watch = false

    @Flag(help: "One JSON object on standard output, a line for each recorder; with --watch once a second.")
    var json = false

    func run() async throws {
        let running = RunningRecordings()
        guard watch else {
            if name != nil || names(running).isEmpty {
                do { _ = try running.choose(name) } catch { throw CommandFailure("\(error)", .failed) }
            }
            return show(try await statuses(running), as: text)
        }
        if StandardOutput.isTerminal, !json { return try await draw(running) }
        if names(running).isEmpty { StandardError.line("recorder: \(waiting)") }
        var hasBegun = false
        while !names(running).isEmpty || !hasBegun {
            hasBegun = hasBegun || !names(running).isEmpty
            // It may end between the two looks.
            if let statuses = try? await statuses(running) { show(statuses) { $0.map(\.line) } }
            try await Task.sleep(for: hasBegun ? .seconds(1) : .milliseconds(200))
        }
    }

    private var waiting: String {
        name.map { "\($0) is not recording yet; waiting" } ?? "nothing is recording yet; waiting"
    }

    private func names(_ running: RunningRecordings) -> [RecordingName] {
        name.map { [$0] }?.filter(running.names.contains) ?? running.names
    }

    private func show(_ statuses: [RecordingStatus], as text: ([RecordingStatus]) -> [String]) {
        for line in json ? statuses.map({ JSONText.line($0) }) : text(statuses) { StandardOutput.line(line) }
    }

    /// In full when it is one, else a line each.
    private func text(_ statuses: [RecordingStatus]) -> [String] {
        statuses.map { statuses.count == 1 ? $0.text : $0.line }
    }

    private func statuses(_ running: RunningRecordings) async throws -> [RecordingStatus] {
        var statuses: [RecordingStatus] = []
        for name in names(running) {
            do { statuses.append(try await running.client(name).status()) } catch {
                // Of several, one that ends at this moment is as good as gone.
                if error.code == .notFound, self.name == nil, names(running) != [name] { continue }
                throw CommandFailure(error.description, .failed)
            }
        }
        return statuses
    }

    /// Over and over at the same place, often enough for a meter; the last of it stays on the ordinary screen.
    private func draw(_ running: RunningRecordings) async throws {
        var last: [String] = []
        try await AlternateScreen.show {
            while true {
                if names(running).isEmpty {
                    guard last.isEmpty else { return }
                    StandardOutput.redraw(waiting)
                } else if let statuses = try? await statuses(running), !statuses.isEmpty {
                    last = text(statuses)
                    StandardOutput.redraw(last.joined(separator: "\n"))
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        for line in last { StandardOutput.line(line) }
    }
}
