import ArchiveService
import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import RecorderService

/// `recorder archive`
struct ArchiveCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive", abstract: "Makes many films smaller, on this machine or on many.",
        subcommands: [
            ArchivePlanCommand.self, ArchiveRunCommand.self, ArchiveResumeCommand.self, ArchiveStatusCommand.self,
            ArchiveReportCommand.self, ArchiveCancelCommand.self, ArchiveTaskCommand.self,
        ])
    static let examples = [
        "recorder archive plan lectures --to small --quality medium --jobs-file lectures.plan",
        "recorder archive run lectures.plan --jobs 2",
    ]
}

/// The plan that a subcommand is about.
struct ArchivePlanArgument: ParsableArguments {
    @Argument(help: "What `archive plan` wrote.", completion: .file())
    var plan: String

    /// Absolute: nodes see it by the same path.
    var path: String { FilePath.absolute(plan) }
    var directory: RunDirectory { RunDirectory(ofPlan: path) }
}

extension CommandFailure {
    /// About a plan, or what belongs to it.
    init(input error: MediaError) { self.init(RecordingFailure(.input, error)) }
}
