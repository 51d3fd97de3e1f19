import CommandInterface
package import MediaTypes
import RecorderStorage

/// Runs one task in this process, for `recorder archive task`.
package struct TaskProcess: Sendable {
    private let plan: String
    private let number: Int
    private let restart: Int?
    private let stage: StageDirectory?
    private let key: RunKey?

    /// Creates a value that runs one task.
    ///
    /// - Parameters:
    ///   - plan: The plan's absolute path.
    ///   - restart: The number of times that the engine has restarted the task.
    ///   - stage: The working directory; nil to work beside the outputs.
    ///   - key: The key that seals the receipts of copies.
    package init(plan: String, task number: Int, restart: Int?, stage: StageDirectory?, key: RunKey?) {
        self.key = key
        (self.plan, self.number, self.restart, self.stage) = (plan, number, restart, stage)
    }

    /// Runs the task.
    ///
    /// - Parameter report: Receives lines for the log.
    /// - Returns: The exit status of the process. By then each movie has been reported.
    /// - Throws: An error if the task does not exist, or if the plan is cancelled.
    package func run(_ stop: TaskStop, report: @escaping @Sendable (String) -> Void) async throws(MediaError) -> Int32 {
        let directory = RunDirectory(ofPlan: plan)
        let (header, task) = try PlanReader.read(plan, task: number)
        // The plan may have been cancelled while this task waited in a queue.
        guard !directory.isCancelled else {
            throw MediaError(.cancelled, "cannot run task \(number)", reason: "the plan is cancelled")
        }
        let work = TranscodeTask(
            task, header, parts: try PlanReader.read(plan, tasks: task.work.after), accounting: Accounting(directory),
            encoder: TranscodeEncoder { stop.begin($0) }, stage: stage, key: key,
            isStopping: { stop.isWanted })
        guard header.program == RecorderVersion.text else {
            let reason =
                "\(Accounting.thisHost) has \(RecorderVersion.text), but the plan was made by \(header.program): "
                + "install the plan's version there, or make a new plan"
            try work.refuse(restart: restart, exit: ExitCode.unavailable.rawValue, reason: reason)
            report(reason)
            return ExitCode.unavailable.rawValue
        }
        let running = Task { () -> Result<Int32, MediaError> in
            do throws(MediaError) { return .success(try await work.run(restart: restart, report: report)) } catch {
                return .failure(error)
            }
        }
        stop.bind { running.cancel() }
        return try await running.value.get()
    }
}
