import Foundation
import TestSupport
import Testing

/// Movies in `work/in`, a plan `work/a.plan`, copies in `work/out`.
extension Command {
    func archiveMovies(_ names: [String], seconds: Double = 2) throws {
        try FileManager.default.createDirectory(atPath: path("work/in"), withIntermediateDirectories: true)
        for name in names { try movie("in/" + name, size: "64x48", seconds: seconds) }
    }

    /// Returns the arguments of a command; with normal priority for the workers, if it is `archive run`. By default they
    /// use only processor time that no other program needs, and a busy machine has none. Slurm has priorities of its own.
    static func givingWorkersNormalPriority(_ arguments: [String]) -> [String] {
        guard arguments.starts(with: ["archive", "run"]), !arguments.contains("--nice"), !arguments.contains("slurm")
        else { return arguments }
        return arguments + ["--nice", "0"]
    }

    func archivePlan(_ options: String...) async throws {
        let result = try await run(
            ["archive", "plan", "in", "--to", "out", "--plan", "a.plan", "--preset", "ultrafast"] + options)
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    /// Splits the plan into one movie per task, so that a run has many processes.
    func splitArchivePlan() throws {
        let path = self.path("work/a.plan")
        var lines: [String] = []
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            guard var task = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let movies = task["files"] as? [[String: Any]]
            else {
                lines.append(String(line))
                continue
            }
            for movie in movies {
                (task["files"], task["task"]) = ([movie], lines.count)
                let data = try JSONSerialization.data(withJSONObject: task, options: .withoutEscapingSlashes)
                lines.append(String(decoding: data, as: UTF8.self))
            }
        }
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    func archiveEvents() -> [[String: Any]] {
        files(in: "work/a.plan.d/accounting").flatMap { name in
            let text = (try? String(contentsOfFile: path("work/a.plan.d/accounting/" + name), encoding: .utf8))
            return (text ?? "").split(separator: "\n").compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
        }
    }

    /// Returns hashes of the packets of every movie in a directory, computed by FFmpeg.
    func packets(_ directory: String) throws -> [String: String] {
        var sums: [String: String] = [:]
        for name in files(in: directory) {
            let file = path(directory + "/" + name)
            let result = try TestSupport.Command.run([
                "ffmpeg", "-v", "error", "-xerror", "-i", file, "-map", "0", "-c", "copy", "-f", "streamhash", "-",
            ])
            try #require(result.status == 0, "\(result.errors)")
            sums[name] = String(decoding: result.output, as: UTF8.self)
        }
        return sums
    }

    /// Returns the IDs of the processes that run tasks of this test.
    func archiveWorkers() -> [String] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter { Int($0) != nil }.filter { process in
            guard let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else { return false }
            let text = String(decoding: words, as: UTF8.self)
            return text.contains("task\0") && text.contains(path("work/a.plan"))
        }
    }

    func hiddenArchives() -> [String] { files(in: "work/out").filter { $0.hasPrefix(".") } }
}
