import ArgumentParser
import AssetIO
import Foundation
import MediaTypes
import RecorderService

/// `recorder repair`
struct RepairCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Makes torn recordings whole.",
        discussion: """
            What a crash or a power cut left behind, NAME.recording.mov, becomes an ordinary movie, NAME.mov. Everything up to \
            the last whole sample is kept; the media is not copied. A movie that is whole already is left as it is, and one \
            that is still being recorded is refused.
            """)
    static let examples = [
        "recorder repair front.recording.mov", "recorder repair --json ~/Videos/*/*.recording.mov",
    ]

    @Argument(help: "Recordings that were interrupted.", completion: .movie)
    var files: [String]

    @Flag(help: "One JSON object on standard output.")
    var json = false

    /// What the JSON object holds.
    private struct Answer: Encodable {
        struct Failure: Encodable {
            var source: String
            var error: String
        }

        var files: [RepairReport] = []
        var failures: [Failure] = []
    }

    /// Every file gets its turn; the exit code is that of the first that failed.
    func run() throws {
        var answer = Answer()
        var firstFailure: RecorderService.ExitCode?
        for file in files.map({ FilePath.absolute($0) }) {
            do {
                let report = try MovieRepair.repair(URL(fileURLWithPath: file))
                answer.files.append(report)
                if !json { StandardOutput.line(report.text) }
            } catch {
                answer.failures.append(.init(source: file, error: error.description))
                StandardError.line("recorder: \(error)")
                firstFailure = firstFailure ?? ExitCode(for: RecordingFailure(.input, error))
            }
        }
        if json { StandardOutput.line(JSONText.line(answer)) }
        if let firstFailure { throw CommandFailure("", firstFailure) }
    }
}
