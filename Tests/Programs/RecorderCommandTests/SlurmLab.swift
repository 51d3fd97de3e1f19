import Foundation
import TestSupport

/// A Slurm cluster of this test (scripts/slurm-lab). `stop` stops it.
struct SlurmLab {
    private let directory: String

    /// - Parameter directory: directory of its state.
    init(in directory: String, nodes: Int, processors: Int = 1) throws {
        self.directory = directory
        // If the machine allows no namespaces, the nodes share an address.
        try script("start", "--nodes", "\(nodes)", "--cpus", "\(processors)", "--namespaces")
    }

    /// Environment for the cluster's clients; the nodes' daemons pass theirs to the tasks.
    var environment: [String: String] {
        ["SLURM_CONF": directory + "/slurm.conf", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"]
    }

    /// Kills a node with all its processes.
    func kill(_ node: String) throws { try script("kill", node) }
    func revive(_ node: String) throws { try script("revive", node) }
    var hasNamespaces: Bool { FileManager.default.fileExists(atPath: directory + "/network") }
    /// Disconnects a node from the others; its tasks continue.
    func cut(_ node: String) throws { try script("cut", node) }
    func mend(_ node: String) throws { try script("mend", node) }
    /// Kills the controller and starts it again.
    func restart() throws { try script("restart") }
    /// Kills the controller.
    func pause() throws { try script("pause") }
    func resume() throws { try script("go-on") }
    func stop() { try? script("stop") }

    /// Returns the queue, one line per task.
    func queue() throws -> [Substring] {
        let result = try TestSupport.Command.run(
            ["env", "SLURM_CONF=\(directory)/slurm.conf", "squeue", "--noheader", "--array", "--format=%i %T %N %r"])
        return result.text.split(separator: "\n")
    }

    private struct Failure: Error { let words: String }

    private func script(_ words: String...) throws {
        // Its daemons outlive the script and keep its output open.
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
