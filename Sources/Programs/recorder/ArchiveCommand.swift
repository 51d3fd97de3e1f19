import ArchiveService
import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes

/// `recorder archive`
struct ArchiveCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive", abstract: "Re-encodes many movies, here or on a Slurm cluster.",
        subcommands: [
            ArchivePlanCommand.self, ArchiveRunCommand.self, ArchiveResumeCommand.self, ArchiveStatusCommand.self,
            ArchiveReportCommand.self, ArchiveCancelCommand.self, ArchiveTaskCommand.self,
        ])
    static let examples = [
        "recorder archive plan lectures --to small --quality medium --plan lectures.plan",
        "recorder archive run lectures.plan --jobs 2",
    ]
}

/// The plan argument of a subcommand.
struct ArchivePlanArgument: ParsableArguments {
    @Argument(help: "Plan file written by `archive plan`.", completion: .file())
    var plan: String

    /// The plan's absolute path. It must be the same on every cluster node.
    var path: String { FilePath.absolute(plan) }
    var directory: RunDirectory { RunDirectory(ofPlan: path) }
}

extension CommandFailure {
    /// Creates the failure for a plan, or for a file that belongs to it.
    init(input error: MediaError) { self.init(RecordingFailure(.input, error)) }
}
