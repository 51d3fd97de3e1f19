import CommandInterface
import FileSystem
import Foundation
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

    /// The key of the plan, for nodes (`RunKey`).
    package var key: String { path + "/key" }

    package func log(_ task: Int) -> String { "\(logs)/task-\(task).log" }

    package func make() throws(MediaError) {
        for directory in [path, logs, accounting, slurm] {
            guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
                throw MediaError(errno: errno, "cannot create \(directory)")
            }
        }
    }

    /// Makes sure that nobody but this user, or root, can have written the plan or how it is run: what they say may be deleted.
    package func checkOwner(plan: String) throws(MediaError) {
        for path in [plan, path, options] {
            var facts = stat()
            guard lstat(path, &facts) == 0 else {
                if errno == ENOENT, path == options { continue }
                throw MediaError(errno: errno, "cannot delete sources of \(plan)")
            }
            try FileFacts.checkOwner(facts, path, action: "cannot delete sources of \(plan)")
        }
    }

    /// What the run waits for, while it does.
    private var waiting: String { path + "/waiting" }

    package func note(waitsFor reason: String?) {
        guard let reason else {
            unlink(waiting)
            return
        }
        // Without it `status` says less.
        let text = Array(reason.utf8).withUnsafeBytes { MediaData(copying: $0) }
        try? WholeFile.write(text, to: waiting, overwrite: true)
    }

    package var waitsFor: String? {
        FileManager.default.contents(atPath: waiting).map { PlainText.line(String(decoding: $0, as: UTF8.self)) }
    }

    package var isCancelled: Bool { access(cancelled, F_OK) == 0 }

    package func cancel() throws(MediaError) {
        let file = open(cancelled, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot create \(cancelled)") }
        close(file)
    }

    package func goOn() { unlink(cancelled) }
}
