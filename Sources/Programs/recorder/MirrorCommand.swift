import ArgumentParser
import CommandInterface
import FileSystem
import Foundation
import MovieCommands

/// `recorder mirror`
struct MirrorCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Maintains mirrored recordings.",
        subcommands: [MirrorRepairCommand.self])
    static let examples = ["recorder mirror repair /data/front /mnt/second/front"]
}

/// `recorder mirror repair`
struct MirrorRepairCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Completes mirrored recordings, each from its other file.",
        discussion: """
            Use it after a disk was unavailable during a recording with --mirror. Afterwards both directories contain \
            every recording, complete and byte for byte the same. Missing or zero bytes are filled in; nothing else \
            is overwritten. If two files contain different data, each is repaired by itself and reported. Files still \
            being recorded are skipped.
            """)
    static let examples = ["recorder mirror repair /data/front /mnt/second/front"]

    @Argument(help: "One of the two mirrored directories.", completion: .directory)
    var directory: String

    @Argument(help: "The other mirrored directory.", completion: .directory)
    var other: String

    @Flag(help: "Print one JSON object.")
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
