import Foundation
import TestSupport
import Testing

/// Runs of a plan and their tasks, killed at random moments. `scripts/soak archive` does it more often.
@Suite(.timeLimit(.minutes(60))) struct ArchiveKillsTests {
    private static func number(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    /// A hundred films take longer than other commands may.
    private static func finish(_ command: Command, _ word: String, _ plan: String) async throws -> Command.Result {
        let run = try command.start(["archive", word, plan])
        try await waitUntil(within: 900) { !run.isRunning }
        return try await run.result()
    }

    @Test func killedAtAnyMomentResumeDoesTheRestAndNothingTwice() async throws {
        let kills = Self.number("RECORDER_ARCHIVE_KILLS", 10)
        let seed = Self.number("RECORDER_ARCHIVE_SEED", 7)
        try await Command.inDirectory { command in
            let names = (0..<max(6, kills)).map { "film-\($0).mov" }
            try command.archiveFilms(names)
            // The same without a kill.
            let planned = try await command.run(
                "archive", "plan", "in", "--to", "calm", "--jobs-file", "calm.plan", "--preset", "ultrafast")
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
                    // A task alone: the run begins it again.
                    kill(worker, SIGKILL)
                    killed += 1
                    _ = eventually(within: moment) { !run.isRunning }
                }
                guard run.isRunning else {
                    // All is done before all kills: from the beginning, but for what is there.
                    if command.files(in: "work/out").count >= names.count { break }
                    continue
                }
                run.send(SIGKILL)
                killed += 1
                _ = try await run.result()
                let isAlone = eventually(within: 20) { command.archiveWorkers().isEmpty }
                #expect(isAlone, "\(command.archiveWorkers())")
            }
            #expect(killed > 0)
            let last = try await Self.finish(command, "resume", "a.plan")
            #expect(last.exitCode == 0, "\(last.errors)")
            #expect(try command.packets("work/out") == command.packets("work/calm"))
            var made: [String: Int] = [:]
            for event in command.archiveEvents() where event["event"] as? String == "made" {
                made[event["film"] as? String ?? "", default: 0] += 1
            }
            #expect(made.values.allSatisfy { $0 == 1 }, "\(made)")
            print("archive: \(killed) kills with the seed \(seed), \(names.count) films, each once")
        }
    }
}
