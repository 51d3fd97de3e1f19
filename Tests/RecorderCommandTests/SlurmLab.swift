import Foundation
import TestSupport

/// A Slurm cluster of this test's own (scripts/slurm-lab). It is stopped with `stop`.
struct SlurmLab {
    private let directory: String

    /// - Parameter directory: where its state goes.
    init(in directory: String, nodes: Int, processors: Int = 1) throws {
        self.directory = directory
        // Where the machine allows no namespaces, the nodes share an address.
        try script("start", "--nodes", "\(nodes)", "--cpus", "\(processors)", "--namespaces")
    }

    /// For programs that are to find it; the nodes' daemons give theirs to the tasks.
    var environment: [String: String] {
        ["SLURM_CONF": directory + "/slurm.conf", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"]
    }

    /// A node dies, with all that it does.
    func kill(_ node: String) throws { try script("kill", node) }
    func revive(_ node: String) throws { try script("revive", node) }
    var hasNamespaces: Bool { FileManager.default.fileExists(atPath: directory + "/network") }
    /// A node is cut off from the others, and goes on with what it does.
    func cut(_ node: String) throws { try script("cut", node) }
    func mend(_ node: String) throws { try script("mend", node) }
    /// The controller is killed, and comes back.
    func restart() throws { try script("restart") }
    /// The controller is killed.
    func pause() throws { try script("pause") }
    func goOn() throws { try script("go-on") }
    func stop() { try? script("stop") }

    /// What is in the queue, a line a task.
    func queue() throws -> [Substring] {
        let result = try TestSupport.Command.run(
            ["env", "SLURM_CONF=\(directory)/slurm.conf", "squeue", "--noheader", "--array", "--format=%i %T %N %r"])
        return result.text.split(separator: "\n")
    }

    private struct Failure: Error { let words: String }

    private func script(_ words: String...) throws {
        // Its daemons live on and keep what they were given as output.
        let log = directory + ".log"
        let result = try TestSupport.Command.run(
            [
                "env", "SLURM_LAB=\(directory)", "sh", "-c", "exec \"$@\" >>'\(log)' 2>&1", "sh",
                Project.path("scripts/slurm-lab"),
            ] + words)
        guard result.status == 0 else {
            throw Failure(words: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "slurm-lab \(words)")
        }
    }
}
