import CommandInterface
import FileSystem
import Foundation
import Glibc
package import MediaTypes

/// A process that runs a task.
package protocol Worker: AnyObject {
    /// Returns how the process ended; nil while it runs. Never blocks.
    func reap() -> TaskEnd.Ending?
    /// Sends a signal to the process and its child processes.
    func signal(_ number: Int32)
}

/// Starts workers. Tests replace it.
package protocol WorkerStarter: AnyObject {
    func start(_ task: Int) throws(MediaError) -> any Worker
}

/// Starts real processes, which run this program as `recorder archive task`. They are killed when the thread that
/// started them ends, for any reason.
package final class ProcessStarter: WorkerStarter {
    private let plan: String
    private let directory: RunDirectory
    private let niceness: Int
    private let stage: String?
    private let program: String

    /// Creates a starter.
    ///
    /// - Parameters:
    ///   - niceness: The workers' niceness (nice(2)). At 19, the workers use CPU and disk only when other processes do
    ///     not need them.
    ///   - stage: The workers' directory for temporary files; nil to work beside the outputs.
    package init(plan: String, niceness: Int, stage: String? = nil) {
        (self.plan, self.niceness, self.stage) = (plan, niceness, stage)
        directory = RunDirectory(ofPlan: plan)
        program = ProcessText.executable ?? "/proc/self/exe"
    }

    package func start(_ task: Int) throws(MediaError) -> any Worker {
        let words = [
            program, "archive", "task", plan, "\(task)", "--parent", "\(getpid())", "--worker-nice", "\(niceness)",
        ]
        let place = stage.map { ["--stage", $0] } ?? []
        let log = try directory.openToAppend(directory.log(task).lastComponent, in: .logs)
        defer { close(log) }
        let launch = ProgramLaunch(words + place, descriptors: [.file("/dev/null", O_RDONLY), .copy(log), .copy(1)])
        return ProcessWorker(try launch.start("cannot start the worker \(program)"))
    }
}

private final class ProcessWorker: Worker {
    private let process: pid_t
    private var end: TaskEnd.Ending?

    init(_ process: pid_t) { self.process = process }

    func reap() -> TaskEnd.Ending? {
        if let end { return end }
        var status: Int32 = 0
        let answer = waitpid(process, &status, WNOHANG)
        if answer == process {
            end = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
        } else if answer < 0, errno == ECHILD {
            end = .lost("its exit status is not available (ECHILD)")
        }
        return end
    }

    func signal(_ number: Int32) { if end == nil { kill(-process, number) } }
}
