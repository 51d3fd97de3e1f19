import FileSystem
import Glibc
package import MediaTypes

/// What belongs to a plan and is made by its runs: `PLAN.d`, beside it, so that every machine that sees the plan sees it.
package struct RunDirectory: Sendable, Hashable {
    package let path: String

    package init(ofPlan plan: String) { path = plan + ".d" }

    /// Held by the process that runs the plan.
    package var lock: RawPath { RawPath(path + "/run.lock") }
    /// How it was run last: what `resume` takes up.
    package var options: String { path + "/run.json" }
    /// Is there while the plan is to stop, on whatever machine.
    package var cancelled: String { path + "/cancelled" }
    package var logs: String { path + "/logs" }
    package var accounting: String { path + "/accounting" }
    /// What Slurm was given.
    package var slurm: String { path + "/slurm" }

    package func log(_ task: Int) -> String { "\(logs)/task-\(task).log" }

    package func make() throws(MediaError) {
        for directory in [path, logs, accounting, slurm] {
            guard mkdir(directory, 0o777) == 0 || errno == EEXIST else {
                throw MediaError(errno: errno, "cannot create \(directory)")
            }
        }
    }

    package var isCancelled: Bool { access(cancelled, F_OK) == 0 }

    package func cancel() throws(MediaError) {
        let file = open(cancelled, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot create \(cancelled)") }
        close(file)
    }

    package func goOn() { unlink(cancelled) }
}
