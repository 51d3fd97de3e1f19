import ArgumentParser
import CommandInterface
import FileSystem
import Foundation
import MovieCommands

/// `recorder mirror`
struct MirrorCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Looks after recordings on two disks.",
        subcommands: [MirrorRepairCommand.self])
    static let examples = ["recorder mirror repair /data/front /mnt/second/front"]
}

/// `recorder mirror repair`
struct MirrorRepairCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Completes the recordings in either of two directories from the other.",
        discussion: """
            Both directories then hold every recording, whole and byte for byte the same: those of --mirror, after one of the disks \
            was away. What is missing or zero is filled; nothing else is overwritten. Where both hold something and differ each is \
            made whole by itself, and named. What is still being recorded is left alone.
            """)
    static let examples = ["recorder mirror repair /data/front /mnt/second/front"]

    @Argument(help: "The one directory.", completion: .directory)
    var directory: String

    @Argument(help: "The other one.", completion: .directory)
    var other: String

    @Flag(help: "One JSON object on standard output.")
    var json = false

    func validate() throws {
        for path in [directory, other] {
            guard FolderContents.isDirectory(path) else {
                throw ValidationError("there is no directory \(path)")
            }
        }
    }

    func run() throws {
        let job = MirrorJob(directories: [FilePath.absolute(directory), FilePath.absolute(other)])
        let (answer, failure) = job.run { event in
            switch event {
            case .done(let report): if !json, let text = report.text { StandardOutput.line(text) }
            case .failed(let error): StandardError.line("recorder: \(error)")
            }
        }
        if json { StandardOutput.line(JSONText.line(answer)) }
        // Each has already been reported.
        if let failure { throw CommandFailure("", ExitCode(for: failure)) }
    }
}
