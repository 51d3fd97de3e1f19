import ArgumentParser
import CommandInterface
import MovieCommands

/// `recorder repair`
struct RepairCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Makes torn recordings whole.",
        discussion: """
            What a crash, a power cut or a bad disk left of a recording, NAME.recording.mov, becomes an ordinary movie, NAME.mov. \
            Everything that is there is kept, also behind damage; the media is not copied, and nothing is cut off but a torn \
            end. A movie that is whole already is left as it is, and one that is still being recorded is refused.

            Of other programs' files in fragments, and of finished recordings of which only a part was copied, -o makes an \
            ordinary movie in another file.
            """)
    static let examples = ["recorder repair ~/Videos/*/*.recording.mov", "recorder repair stream.mp4 -o whole.mov"]

    @Argument(help: "Recordings that were interrupted.", completion: .movie)
    var files: [String]

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("Write the movie anew to this file and leave the other as it is.", valueName: "file"),
        completion: .file(extensions: ["mov", "mp4", "m4v", "m4a"]))
    var output: String?

    @Flag(help: "One JSON object on standard output.")
    var json = false

    func validate() throws {
        if output != nil, files.count > 1 { throw ValidationError("-o takes one file to repair, not \(files.count)") }
    }

    func run() throws {
        let job = RepairJob(files: files.map { FilePath.absolute($0) }, output: output.map { FilePath.absolute($0) })
        let (answer, failure) = job.run { event in
            switch event {
            case .repaired(let report): if !json { StandardOutput.line(report.text) }
            case .failed(let error): StandardError.line("recorder: \(error)")
            }
        }
        if json { StandardOutput.line(JSONText.line(answer)) }
        // Each has already been reported.
        if let failure { throw CommandFailure("", ExitCode(for: failure)) }
    }
}
