import ArchiveService
import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import RecorderService

/// `recorder archive task`: what engines start, a process for each task.
struct ArchiveTaskCommand: AsyncParsableCommand, InterruptibleCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "Does one task of a plan.", shouldDisplay: false)

    @OptionGroup var plan: ArchivePlanArgument

    @Argument(help: "Its number in the plan.")
    var number: Int

    @Option(help: "Ends with that process.")
    var parent: Int32?

    @Option(help: "Lets others go first.")
    var workerNice: Int?

    @Option(help: "How often it was begun before.")
    var restart: Int?

    var hearsSignals: Bool { true }
    var recordsLive: Bool { false }

    func run() async throws {
        // Nobody would hear of what it does.
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
            let (header, task) = try PlanReader.read(plan.path, task: number)
            guard header.program == RecorderVersion.text else {
                throw MediaError(
                    .deviceUnsuitable, "cannot do task \(number) of \(plan.path)",
                    reason: "this is \(RecorderVersion.text), and the plan was made by \(header.program)",
                    wayOut: "make a plan with this one, or install the other here")
            }
            // It may have waited in a queue since.
            if plan.directory.isCancelled {
                throw MediaError(.cancelled, "cannot do task \(number)", reason: "the plan is cancelled")
            }
            let parts = try PlanReader.read(plan.path, tasks: task.work.after)
            code = try await FilmTask(
                task, header, parts: parts, accounting: Accounting(plan.directory),
                encoder: FilmEncoder { stop.begin($0) }, isStopping: { stop.isWanted }
            ).run(restart: restart) { StandardError.line($0) }
        } catch {
            throw CommandFailure(input: error)
        }
        // Each film has been told.
        if code != 0 { throw CommandFailure("", CommandInterface.ExitCode(rawValue: code) ?? .failed) }
    }
}
