import Foundation
import TestSupport
import Testing

/// Runs of a plan and their tasks, killed at random times. `scripts/soak archive` repeats it more often.
@Suite(.timeLimit(.minutes(60))) struct ArchiveKillsTests {
    private static func number(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    /// Runs the command to its end. A hundred movies take longer than other commands may.
    private static func finish(_ command: Command, _ word: String, _ plan: String) async throws -> Command.Result {
        let run = try command.start(["archive", word, plan])
        try await waitUntil(within: 900) { !run.isRunning }
        return try await run.result()
    }

    /// Kills a task, a node or the run.
    ///
    /// - Returns: true if there was something to kill.
    private static func strike(
        _ command: Command, _ lab: SlurmLab, _ run: Running, _ random: inout SeededRandom
    ) async throws -> Bool {
        let die = Int.random(in: 0..<8, using: &random)
        if die < 4 {
            let workers = command.archiveWorkers().compactMap { Int32($0) }.sorted()
            guard let worker = workers.randomElement(using: &random) else { return false }
            kill(worker, SIGKILL)
        } else if die == 4 {
            let node = "n\(Int.random(in: 1...3, using: &random))"
            try lab.kill(node)
            try lab.revive(node)
        } else {
            run.send(SIGKILL)
            _ = try await run.result()
        }
        return true
    }

    /// Kills on a cluster, where tasks continue without their run, and a killed task asks Slurm to restart it. Nodes
    /// die too.
    @Test func resume_killsOnACluster_encodesEachMovieOnce() async throws {
        let kills = Self.number("RECORDER_ARCHIVE_KILLS", 6)
        let seed = Self.number("RECORDER_ARCHIVE_SEED", 7)
        try await Command.inDirectory { command in
            let lab = try SlurmLab(in: command.path("slurm"), nodes: 3)
            defer { lab.stop() }
            let names = (0..<max(6, kills)).map { "movie-\($0).mov" }
            try command.archiveMovies(names)
            try await command.archivePlan("--threads", "1")
            try command.splitArchivePlan()
            var random = SeededRandom(seed: UInt64(seed))
            var killed = 0
            var run = try command.start(
                ["archive", "run", "a.plan", "--engine", "slurm", "--quiet"], environment: lab.environment)
            while killed < kills {
                let moment = Double.random(in: 0.05...1.5, using: &random)
                _ = eventually(within: moment) { !run.isRunning }
                if try await Self.strike(command, lab, run, &random) { killed += 1 }
                if command.files(in: "work/out").count >= names.count { break }
                if !run.isRunning {
                    run = try command.start(["archive", "resume", "a.plan", "--quiet"], environment: lab.environment)
                }
            }
            run.send(SIGKILL)
            _ = try await run.result()
            #expect(killed > 0)
            let last = try command.start(["archive", "resume", "a.plan"], environment: lab.environment)
            try await waitUntil(within: 900) { !last.isRunning }
            let result = try await last.result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(command.files(in: "work/out") == names.sorted())
            #expect(command.hiddenArchives().isEmpty)
            var made: [String: Int] = [:]
            for event in command.archiveEvents() where event["event"] as? String == "made" {
                made[event["file"] as? String ?? "", default: 0] += 1
            }
            #expect(made.values.allSatisfy { $0 == 1 }, "\(made)")
            print("archive on Slurm: \(killed) kills with the seed \(seed), \(names.count) files, each once")
        }
    }

    @Test func resume_killsAtRandomTimes_encodesEachMovieOnce() async throws {
        let kills = Self.number("RECORDER_ARCHIVE_KILLS", 10)
        let seed = Self.number("RECORDER_ARCHIVE_SEED", 7)
        try await Command.inDirectory { command in
            let names = (0..<max(6, kills)).map { "movie-\($0).mov" }
            try command.archiveMovies(names)
            // The same work without a kill.
            let planned = try await command.run(
                "archive", "plan", "in", "--to", "calm", "--plan", "calm.plan", "--preset", "ultrafast")
            #expect(planned.exitCode == 0)
            #expect(try await Self.finish(command, "run", "calm.plan").exitCode == 0)

            try await command.archivePlan()
            try command.splitArchivePlan()
            var random = SeededRandom(seed: UInt64(seed))
            var killed = 0
            while killed < kills {
                let run = try command.start(["archive", killed == 0 ? "run" : "resume", "a.plan", "--quiet"])
                let moment = Double.random(in: 0.01...0.8, using: &random)
                _ = eventually(within: moment) { !run.isRunning }
                if Bool.random(using: &random), let worker = command.archiveWorkers().first.flatMap({ Int32($0) }) {
                    // Only the task is killed: the run starts it again.
                    kill(worker, SIGKILL)
                    killed += 1
                    _ = eventually(within: moment) { !run.isRunning }
                }
                guard run.isRunning else {
                    // The run ended before it could be killed: resume it, or end once every copy exists.
                    if command.files(in: "work/out").count >= names.count { break }
                    continue
                }
                run.send(SIGKILL)
                killed += 1
                _ = try await run.result()
                // They end with the run, long before their work is done.
                let isAlone = eventually(within: 20) { command.archiveWorkers().isEmpty }
                #expect(isAlone, "\(command.archiveWorkers())")
            }
            #expect(killed > 0)
            let last = try await Self.finish(command, "resume", "a.plan")
            #expect(last.exitCode == 0, "\(last.errors)")
            #expect(try command.packets("work/out") == command.packets("work/calm"))
            var made: [String: Int] = [:]
            for event in command.archiveEvents() where event["event"] as? String == "made" {
                made[event["file"] as? String ?? "", default: 0] += 1
            }
            #expect(made.values.allSatisfy { $0 == 1 }, "\(made)")
            print("archive: \(killed) kills with the seed \(seed), \(names.count) files, each once")
        }
    }
}
