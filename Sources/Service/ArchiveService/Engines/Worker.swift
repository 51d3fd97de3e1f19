import CLinux
import CommandInterface
import FileSystem
import Foundation
import Glibc
package import MediaTypes

/// A process that carries out a task.
package protocol Worker: AnyObject {
    /// Returns how it ended; nil while it runs. Never blocks.
    func reap() -> TaskEnd.Ending?
    /// Sends a signal to it and its child processes.
    func signal(_ number: Int32)
}

/// A factory of workers, which tests replace.
package protocol WorkerStarter: AnyObject {
    func start(_ task: Int) throws(MediaError) -> any Worker
}

/// Real processes: this program, as `recorder archive task`. They end when the thread that started them ends, for
/// whatever reason.
package final class ProcessStarter: WorkerStarter {
    private let plan: String
    private let directory: RunDirectory
    private let niceness: Int
    private let stage: String?
    private let program: String

    /// Creates a starter.
    ///
    /// - Parameters:
    ///   - niceness: The workers' niceness (nice(2)); at 19 they use CPU and disk only when other processes do not.
    ///   - stage: Their working directory; nil to work beside the outputs.
    package init(plan: String, niceness: Int, stage: String? = nil, program: String? = nil) {
        (self.plan, self.niceness, self.stage) = (plan, niceness, stage)
        directory = RunDirectory(ofPlan: plan)
        self.program =
            program ?? (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? "/proc/self/exe"
    }

    package func start(_ task: Int) throws(MediaError) -> any Worker {
        let words = [
            program, "archive", "task", plan, "\(task)", "--parent", "\(getpid())", "--worker-nice", "\(niceness)",
        ]
        let place = stage.map { ["--stage", $0] } ?? []
        return ProcessWorker(try Self.spawn(words + place, log: directory.log(task), isIdle: niceness >= 19))
    }

    /// Starts a process.
    ///
    /// - Parameter isIdle: The process gets the CPU only when no other process needs it.
    private static func spawn(_ words: [String], log: String, isIdle: Bool) throws(MediaError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        clinux_spawn_close_from(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A process group of its own: Ctrl-C is for the run, which ends its workers itself.
        var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP)
        if isIdle { _ = clinux_spawn_idle(&attributes, &flags) }
        posix_spawnattr_setflags(&attributes, flags)
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in StopSignals.all + [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, words[0], &actions, &attributes, &arguments, environ)
        guard code == 0 else { throw MediaError(errno: code, "cannot start the worker \(words[0])") }
        return child
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
