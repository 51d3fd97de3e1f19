import ArgumentParser
import CommandInterface
import MovieCommands

/// `recorder repair`
struct RepairCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Repairs recordings after a crash or power loss.",
        discussion: """
            A crash, a power loss or a bad disk leaves NAME.recording.mov unfinished. `recorder repair` turns it into \
            an ordinary movie, NAME.mov. Everything readable is kept, also after damage. The media is not copied, and \
            only an incomplete end is removed. An intact movie is left as it is, and one that is still being recorded \
            is refused.

            -o repairs into another file. Use it for fragmented files from other programs, and for truncated copies \
            of finished recordings.
            """)
    static let examples = ["recorder repair ~/Videos/*/*.recording.mov", "recorder repair stream.mp4 -o repaired.mov"]

    @Argument(help: "Unfinished recordings to repair.", completion: .movie)
    var files: [String]

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("Write the movie to this file; leave the original as it is.", valueName: "file"),
        completion: .file(extensions: ["mov", "mp4", "m4v", "m4a"]))
    var output: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        if output != nil, files.count > 1 { throw ValidationError("-o repairs exactly one file, not \(files.count)") }
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
