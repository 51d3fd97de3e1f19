import ArchiveService
import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes

/// `recorder archive task`: the process that engines start for each task.
struct ArchiveTaskCommand: AsyncParsableCommand, InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "Runs one task of a plan.", shouldDisplay: false)

    @OptionGroup var plan: ArchivePlanArgument

    @Argument(help: "Number of the task in the plan.")
    var number: Int

    @Option(help: "Exit when the process with this ID exits.")
    var parent: Int32?

    @Option(help: "Niceness of the worker; at 19 it uses only idle processor time.")
    var workerNice: Int?

    @Option(help: "Number of earlier starts of the task.")
    var restart: Int?

    @Option(help: "Working directory on this machine's own disk (default: beside the outputs).", completion: .directory)
    var stage: String?

    var hearsSignals: Bool { true }
    var recordsLive: Bool { false }

    func run() async throws {
        // If the parent has ended, no process would receive the results.
        if let parent, !WorkerLife.bind(to: parent) { throw CommandFailure("", .busy) }
        if let workerNice { WorkerLife.stepBack(niceness: workerNice) }
        Heap.useOne()
        let stop = TaskStop()
        do {
            try SignalWatcher.start(finish: { stop.stop() }, quit: {})
        } catch {
            throw CommandFailure("\(error)", .ioError)
        }
        let code: Int32
        do throws(MediaError) {
            code = try await TaskProcess(
                plan: plan.path, task: number, restart: restart,
                stage: stage.map { StageDirectory(RawPath(FilePath.absolute($0))) },
                // A worker on this machine reads the secret of its user. A node may have another home directory, so it
                // reads the shared key.
                key: parent == nil ? RunKey(sharedIn: plan.directory) : try? RunKey(ofPlan: plan.path)
            ).run(stop) { StandardError.line($0) }
        } catch {
            throw CommandFailure(input: error)
        }
        // Each movie has already been reported.
        if code != 0 { throw CommandFailure("", CommandInterface.ExitCode(rawValue: code) ?? .failed) }
    }
}
