import Foundation
import TestSupport
import Testing

/// Long movies in chunks, with real processes.
@Suite(.timeLimit(.minutes(10))) struct ArchiveChunksTests {
    /// Makes a movie of two and a half minutes, which is three chunks of about a minute, and a short one.
    private func movies(_ command: Command) throws {
        try command.archiveMovies(["short.mov"])
        let made = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=150", "-f", "lavfi", "-i",
            "sine=330:r=48000:d=150", "-c:v", "libx264", "-preset", "ultrafast", "-g", "20", "-c:a", "aac",
            command.path("work/in/long.mov"))
        try #require(made.status == 0, "\(made.errors)")
    }

    private func plan(_ command: Command, _ name: String, to output: String, _ options: String...) async throws {
        let result = try await command.run(
            ["archive", "plan", "in", "--to", output, "--plan", name, "--preset", "ultrafast"] + options)
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    private func bytes(_ command: Command, _ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: command.path("work/" + path)))
    }

    /// Returns the times of every frame; the interleaving of the tracks is not compared.
    private func times(_ command: Command, _ path: String) throws -> [Substring] {
        try Probe.ask(command.path("work/" + path), "frame=media_type,pts,pkt_duration", as: "csv=p=0").text
            .split(separator: "\n").sorted()
    }

    private func audio(_ command: Command, _ path: String) throws -> String {
        let result = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-xerror", "-i", command.path("work/" + path), "-map", "0:a", "-f", "md5", "-")
        #expect(result.status == 0, "\(result.errors)")
        return result.text
    }

    private func hidden(_ command: Command, _ directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: command.path("work/" + directory))) ?? [])
            .filter { $0.hasPrefix(".") }
    }

    @Test func run_chunks_joinsAndRemovesThem() async throws {
        try await Command.inDirectory { command in
            try movies(command)
            try await plan(command, "whole.plan", to: "whole")
            #expect(try await command.run("archive", "run", "whole.plan").exitCode == 0)
            try await plan(command, "a.plan", to: "out", "--chunks", "1m")
            let text = String(decoding: try bytes(command, "a.plan"), as: UTF8.self)
            #expect(text.contains("\"part\":\"join\"") && text.contains("\"after\":[1,2,3,4]"), "\(text)")
            let result = try await command.run("archive", "run", "a.plan", "--jobs", "3")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.output.contains("2 of 2 files"))
            #expect(command.files(in: "work/out") == ["long.mov", "short.mov"] && hidden(command, "out") == [])
            #expect(try times(command, "out/long.mov") == times(command, "whole/long.mov"))
            #expect(try audio(command, "out/long.mov") == audio(command, "whole/long.mov"))
            // The short movie is encoded as without chunks.
            #expect(try bytes(command, "out/short.mov") == bytes(command, "whole/short.mov"))
            let first = try bytes(command, "out/long.mov")
            // Nothing is left to do, even without the record of the run.
            try FileManager.default.removeItem(atPath: command.path("work/a.plan.d"))
            #expect(try await command.run("archive", "run", "a.plan").exitCode == 0)
            let events = command.archiveEvents().compactMap { $0["event"] as? String }
            #expect(!events.contains("made") && !events.contains("partMade") && hidden(command, "out") == [])
            // The same plan, one task after the other.
            try FileManager.default.removeItem(atPath: command.path("work/out/long.mov"))
            #expect(try await command.run("archive", "run", "a.plan", "--jobs", "1").exitCode == 0)
            #expect(try bytes(command, "out/long.mov") == first)
        }
    }

    @Test func resume_killsAtRandomTimes_encodesEachChunkOnce() async throws {
        try await Command.inDirectory { command in
            try movies(command)
            try await plan(command, "calm.plan", to: "calm", "--chunks", "1m")
            #expect(try await command.run("archive", "run", "calm.plan").exitCode == 0)
            try await plan(command, "a.plan", to: "out", "--chunks", "1m")
            var random = SeededRandom(seed: 11)
            for round in 0..<8 {
                let run = try command.start(["archive", round == 0 ? "run" : "resume", "a.plan", "--quiet"])
                let moment = Double.random(in: 0.02...1.5, using: &random)
                _ = eventually(within: moment) { !run.isRunning }
                if round % 2 == 1, let worker = command.archiveWorkers().first.flatMap({ Int32($0) }) {
                    kill(worker, SIGKILL)
                    _ = eventually(within: moment) { !run.isRunning }
                }
                if run.isRunning { run.send(SIGKILL) }
                _ = try await run.result()
                // They end with the run, long before their work is done.
                #expect(eventually(within: 20) { command.archiveWorkers().isEmpty })
            }
            let last = try await command.run("archive", "resume", "a.plan")
            #expect(last.exitCode == 0, "\(last.errors)")
            #expect(command.files(in: "work/out") == ["long.mov", "short.mov"] && hidden(command, "out") == [])
            #expect(try bytes(command, "out/long.mov") == bytes(command, "calm/long.mov"))
            var made: [String: Int] = [:]
            for event in command.archiveEvents() where ["made", "partMade"].contains(event["event"] as? String ?? "") {
                made["\(event["task"] ?? "") \(event["file"] ?? "")", default: 0] += 1
            }
            #expect(!made.isEmpty && made.values.allSatisfy { $0 == 1 }, "\(made)")
        }
    }

    /// The state after a worker was killed between the naming of its part and its line in the accounting.
    @Test func resume_partsNotAccounted_findsAndJoinsThem() async throws {
        try await Command.inDirectory { command in
            try movies(command)
            try await plan(command, "a.plan", to: "out", "--chunks", "1m")
            let accounting = command.path("work/a.plan.d/accounting")
            try FileManager.default.createDirectory(atPath: accounting, withIntermediateDirectories: true)
            for task in 1...4 {
                let result = try await command.run("archive", "task", "a.plan", "\(task)")
                #expect(result.exitCode == 0, "\(result.errors)")
            }
            #expect(command.archiveEvents().filter { $0["event"] as? String == "partMade" }.count == 4)
            for name in command.files(in: "work/a.plan.d/accounting") {
                try FileManager.default.removeItem(atPath: accounting + "/" + name)
            }
            let result = try await command.run("archive", "run", "a.plan")
            #expect(result.exitCode == 0, "\(result.errors)")
            let events = command.archiveEvents().compactMap { $0["event"] as? String }
            #expect(events.filter { $0 == "partFound" }.count == 4 && !events.contains("partMade"), "\(events)")
            #expect(command.files(in: "work/out") == ["long.mov", "short.mov"] && hidden(command, "out") == [])
        }
    }

    @Test func run_chunksFail_reportsTheirMovieOnce() async throws {
        try await Command.inDirectory { command in
            try movies(command)
            try await plan(command, "a.plan", to: "out", "--chunks", "1m")
            let long = command.path("work/in/long.mov")
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: long))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data([0, 0, 0, 8]) + Data("free".utf8))
            try handle.close()
            let result = try await command.run("archive", "run", "a.plan")
            #expect(result.exitCode == 65)
            #expect(command.files(in: "work/out") == ["short.mov"] && hidden(command, "out") == [])
            let report = try await command.run("archive", "report", "a.plan")
            #expect(report.output.components(separatedBy: "failed: ").count == 2, "\(report.output)")
            #expect(report.output.contains("the source changed after the plan was made"))
            #expect(report.output.contains("1 of 2 files"))
        }
    }

    @Test(arguments: [
        (["archive", "plan", "in", "--to", "out", "--jobs-file", "a.plan"], "--jobs-file is now --plan"),
        (["archive", "plan", "in", "--to", "out", "--chunk", "8m"], "--chunk is now --chunks"),
        (["reencode", "in/short.mov", "--stretches", "2"], "--stretches is now --chunks"),
    ])
    func option_earlierName_isRefusedWithTheNewOne(words: [String], message: String) async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["short.mov"])
            let result = try await command.run(words)
            #expect(result.exitCode == 64 && result.output.isEmpty, "\(result.output)")
            #expect(result.errors == "recorder: \(message)\n", "\(result.errors)")
            #expect(command.files(in: "work") == ["in"] && command.files(in: "work/in") == ["short.mov"])
            let path = words[0] == "archive" ? ["archive", "plan"] : ["reencode"]
            let old = String(message.prefix { $0 != " " })
            let help = try await command.run(path + ["--help-hidden"]).output
            #expect(help.contains("--chunks <") && !help.contains(old + " "), "\(help)")
        }
    }

    /// One option for both commands: a number without a unit counts chunks, a time is the length of one.
    @Test(arguments: [
        (["archive", "plan", "in", "--to", "out", "--chunks", "4"], "“4” is not a length of chunks: write 1m to 60m"),
        (["reencode", "in/short.mov", "--chunks", "8m"], "“8m” is not a number of chunks: write 1 to 64, or auto"),
    ])
    func chunks_valueOfTheOtherCommand_isRefused(words: [String], message: String) async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["short.mov"])
            let result = try await command.run(words)
            #expect(result.exitCode == 64 && result.errors.contains(message), "\(result.errors)")
        }
    }

    /// A run that began with an earlier build continues, and nothing is encoded again.
    @Test func run_plansAndAccountingWithEarlierKeys_areStillRead() async throws {
        try await Command.inDirectory { command in
            try movies(command)
            try await plan(command, "a.plan", to: "out", "--chunks", "1m")
            #expect(try await command.run("archive", "run", "a.plan").exitCode == 0)
            let accounting = command.files(in: "work/a.plan.d/accounting").map { "a.plan.d/accounting/\($0)" }
            for name in ["a.plan"] + accounting {
                let text = String(decoding: try bytes(command, name), as: UTF8.self)
                    .replacing("\"files\":", with: "\"films\":").replacing("\"file\":", with: "\"film\":")
                    .replacing("\"frames\"", with: "\"pictures\"").replacing("\"audio\"", with: "\"sound\"")
                try text.write(toFile: command.path("work/\(name)"), atomically: false, encoding: .utf8)
            }
            let before = command.archiveEvents().count
            let result = try await command.run("archive", "resume", "a.plan", "--json")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.output.contains("\"done\":2") && result.output.contains("\"files\":2"), "\(result.output)")
            #expect(command.archiveEvents().count == before)
        }
    }

    @Test func plan_invalidChunkLength_isRefused() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["short.mov"])
            for words in [["--chunks", "10s"], ["--chunks", "2h"], ["--chunks", "8m", "--codec", "passthrough"]] {
                let result = try await command.run(["archive", "plan", "in", "--to", "out"] + words)
                #expect(result.exitCode == 64, "\(words): \(result.errors)")
            }
        }
    }
}
