import ArgumentParser
import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import MovieCommands

/// `recorder info`
struct InfoCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows a movie's tracks, times, drop counts and state.")
    static let examples = ["recorder info front.mov", "recorder info --json \"$(recorder stop)\""]

    @Argument(help: "Movie or audio file to describe.", completion: .file())
    var file: String

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        do {
            let summary = try MovieSummary(contentsOf: URL(fileURLWithPath: FilePath.absolute(file)))
            StandardOutput.line(json ? JSONText.line(summary) : summary.text)
        } catch {
            throw CommandFailure(RecordingFailure(.input, error))
        }
    }
}
