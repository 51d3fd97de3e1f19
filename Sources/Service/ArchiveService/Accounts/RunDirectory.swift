import CommandInterface
import FileSystem
import Foundation
package import MediaTypes

/// The directory `PLAN.d` with the files that the runs of a plan create. It is beside the plan, so that every machine
/// that can read the plan can also read these files.
package struct RunDirectory: Sendable, Hashable {
    package let path: String

    package init(ofPlan plan: String) { path = plan + ".d" }

    /// The lock held by the process that runs the plan.
    package var lock: RawPath { RawPath(path + "/run.lock") }
    /// The file with the options of the last run, which `resume` uses.
    package var options: String { path + "/run.json" }
    /// A file whose existence stops the plan on every machine.
    package var cancelled: String { path + "/cancelled" }
    package var logs: String { path + "/logs" }
    package var accounting: String { path + "/accounting" }
    /// The directory of the files submitted to Slurm.
    package var slurm: String { path + "/slurm" }

    /// The file with the plan's key, which cluster nodes read (`RunKey`).
    package var key: String { path + "/key" }

    package func log(_ task: Int) -> String { "\(logs)/task-\(task).log" }

    package func make() throws(MediaError) {
        for directory in [path, logs, accounting, slurm] {
            guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
                throw MediaError(errno: errno, "cannot create \(directory)")
            }
        }
    }

    /// Checks that only this user or root can have written the plan and its options, because these files decide which
    /// sources are deleted.
    package func checkOwner(plan: String) throws(MediaError) {
        for path in [plan, path, options] {
            var facts = stat()
            guard lstat(path, &facts) == 0 else {
                if errno == ENOENT, path == options { continue }
                throw MediaError(errno: errno, "cannot delete sources of \(plan)")
            }
            try FileMetadata.checkOwner(facts, path, action: "cannot delete sources of \(plan)")
        }
    }

    /// A file with the reason why the run waits. It exists only while the run waits.
    private var waiting: String { path + "/waiting" }

    package func record(waitsFor reason: String?) {
        guard let reason else {
            unlink(waiting)
            return
        }
        // An error here only makes `status` less precise.
        try? AtomicFile.write(reason.utf8, to: waiting, overwrite: true)
    }

    package var waitsFor: String? {
        FileContents.bytes(of: waiting).map { PlainText.line(String(decoding: $0, as: UTF8.self)) }
    }

    package var isCancelled: Bool { access(cancelled, F_OK) == 0 }

    package func cancel() throws(MediaError) {
        let file = open(cancelled, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot create \(cancelled)") }
        close(file)
    }

    package func clearCancellation() { unlink(cancelled) }
}
