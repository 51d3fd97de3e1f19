import Foundation
import MediaTypes
import TestSupport
import Testing

/// `recorder archive` with real processes.
@Suite(.timeLimit(.minutes(10))) struct ArchiveCommandTests {
    @Test func run_changedAndInvalidMovies_encodesTheOthersAndReportsThem() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov", "b b.mp4", "c%.mov"])
            // The file is truncated in the middle of its media, like another program's movie with an intact header.
            let bytes = try Data(contentsOf: URL(fileURLWithPath: command.path("work/in/b b.mp4")))
            try Data("no movie here".utf8).write(to: URL(fileURLWithPath: command.path("work/in/no.mov")))
            try await command.archivePlan()
            try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: command.path("work/in/b b.mp4")))
            let result = try await command.run("archive", "run", "a.plan", "--jobs", "2")
            #expect(result.exitCode == 65)
            #expect(result.errors.contains("b b.mp4") && result.errors.contains("changed"))
            #expect(command.files(in: "work/out") == ["a.mov", "c%.mov"])
            #expect(command.files(in: "work/in").count == 4)
            let report = try await command.run("archive", "report", "a.plan", "--html", "report.html")
            #expect(report.exitCode == 0)
            #expect(report.output.contains("skipped: ") && report.output.contains("no.mov"))
            #expect(report.output.contains("archive resume"))
            #expect(FileManager.default.fileExists(atPath: command.path("work/report.html")))
            let metrics = try await command.run("archive", "report", "a.plan", "--metrics")
            #expect(metrics.output.contains("recorder_archive_files{"))
        }
    }

    @Test func run_copiesExist_encodesNothing() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov", "b.mov"])
            try await command.archivePlan()
            #expect(try await command.run("archive", "run", "a.plan").exitCode == 0)
            let before = try command.packets("work/out")
            #expect(try await command.run("archive", "resume", "a.plan").exitCode == 0)
            // This is also true without the record of the run.
            try FileManager.default.removeItem(atPath: command.path("work/a.plan.d"))
            #expect(try await command.run("archive", "run", "a.plan").exitCode == 0)
            #expect(command.archiveEvents().contains { $0["event"] as? String == "found" })
            #expect(!command.archiveEvents().contains { $0["event"] as? String == "made" })
            #expect(try command.packets("work/out") == before)
        }
    }

    @Test func replace_otherFileAtTheOutput_keepsBothFiles() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            try await command.archivePlan()
            try FileManager.default.createDirectory(
                atPath: command.path("work/out"), withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: URL(fileURLWithPath: command.path("work/out/a.mov")))
            let result = try await command.run("archive", "run", "a.plan", "--replace")
            #expect(result.exitCode == 65 && result.errors.contains("another file has the output's name"))
            #expect(command.files(in: "work/out") == ["a.mov"])
            #expect(command.files(in: "work/in") == ["a.mov"])
        }
    }

    /// Copies may have been moved to a disk that is not mounted now.
    @Test func run_linkToAMissingFileAtTheOutput_encodesNothing() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            try await command.archivePlan()
            let output = command.path("work/out/a.mov")
            try FileManager.default.createDirectory(
                atPath: command.path("work/out"), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: output, withDestinationPath: "/nowhere/a.mov")
            let result = try await command.run("archive", "run", "a.plan")
            #expect(result.exitCode == 65 && result.errors.contains("another file has the output's name"))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: output) == "/nowhere/a.mov")
            #expect(!command.archiveEvents().contains { $0["event"] as? String == "verified" })
        }
    }

    @Test func replace_sourceChangedMeanwhile_deletesOnlyTheOtherSource() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov", "b.mov"])
            try await command.archivePlan()
            // A file that changed meanwhile is kept.
            try Data("x".utf8).write(to: URL(fileURLWithPath: command.path("work/in/b.mov")))
            #expect(try await command.run("archive", "run", "a.plan", "--replace").exitCode == 65)
            #expect(command.files(in: "work/in") == ["b.mov"])
            #expect(command.files(in: "work/out") == ["a.mov"])
            #expect(command.archiveEvents().filter { $0["event"] as? String == "deleted" }.count == 1)
        }
    }

    @Test func replace_copyLacksSubtitles_keepsTheSourceUnlessAccepted() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            let text = command.path("work/b.srt")
            try "1\n00:00:00,000 --> 00:00:01,000\nHello\n".write(toFile: text, atomically: true, encoding: .utf8)
            let made = try TestSupport.Command.run(
                "ffmpeg", "-v", "error", "-y", "-i", command.path("work/in/a.mov"), "-i", text, "-map", "0:v", "-map",
                "1:s", "-c:v", "copy", "-c:s", "srt", command.path("work/in/b.mkv"))
            try #require(made.status == 0, "\(made.errors)")
            try await command.archivePlan()
            let result = try await command.run("archive", "run", "a.plan", "--replace")
            #expect(result.exitCode == 0)
            #expect(
                result.errors.contains("b.mkv: its copy lacks track 2, text (subrip): ")
                    && result.errors.contains("--replace-incomplete"), "\(result.errors)")
            #expect(command.files(in: "work/in") == ["b.mkv"])
            #expect(command.archiveEvents().filter { $0["event"] as? String == "kept" }.count == 1)
            let report = try await command.run("archive", "report", "a.plan", "--json")
            #expect(report.output.contains("\"incomplete\":[{"), "\(report.output)")
            // The losses are accepted. Nothing is encoded again.
            let accepted = try await command.run("archive", "run", "a.plan", "--replace-incomplete")
            #expect(accepted.exitCode == 0)
            #expect(accepted.errors.contains("b.mkv: left out: track 2"), "\(accepted.errors)")
            #expect(command.files(in: "work/in").isEmpty && command.files(in: "work/out") == ["a.mov", "b.mov"])
            #expect(command.archiveEvents().filter { $0["event"] as? String == "made" }.count == 2)
        }
    }

    /// Overwrites the copy's media. Its header, and so its fingerprint, is unchanged.
    private func spoil(_ path: String) throws {
        let url = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: url)
        let media = try #require(bytes.range(of: Data("mdat".utf8)))
        let end = min(bytes.count, media.upperBound + 2000)
        bytes.replaceSubrange(media.upperBound..<end, with: Data(count: end - media.upperBound))
        try bytes.write(to: url)
    }

    @Test func replace_copyDamagedSince_keepsTheSourceAndFails() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov", "b.mov"])
            try await command.archivePlan()
            #expect(try await command.run("archive", "run", "a.plan").exitCode == 0)
            try spoil(command.path("work/out/a.mov"))
            let result = try await command.run("archive", "run", "a.plan", "--replace")
            #expect(result.exitCode == 65 && result.errors.contains("is not the verified file"), "\(result.errors)")
            #expect(command.files(in: "work/in") == ["a.mov"])
            // After the copy is removed, it is encoded again, and then the source is deleted.
            try FileManager.default.removeItem(atPath: command.path("work/out/a.mov"))
            #expect(try await command.run("archive", "resume", "a.plan").exitCode == 0)
            #expect(command.files(in: "work/in").isEmpty)
        }
    }

    /// Copies, fingerprints and records are valid but belong to another user: any user who can write plans can make
    /// those.
    @Test func replace_copiesOfAnotherUser_keepsTheSources() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            try await command.archivePlan()
            let other = try command.start(
                ["archive", "run", "a.plan"], environment: ["XDG_STATE_HOME": command.path("other")])
            #expect(try await other.result().exitCode == 0)
            let result = try await command.run("archive", "run", "a.plan", "--replace")
            #expect(result.errors.contains("no receipt shows that this user"), "\(result.errors)")
            #expect(command.files(in: "work/in") == ["a.mov"])
        }
    }

    @Test func replace_planThatOthersMayWrite_isRefused() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            try await command.archivePlan()
            chmod(command.path("work/a.plan"), 0o664)
            let result = try await command.run("archive", "run", "a.plan", "--replace")
            #expect(result.exitCode == 77 && result.errors.contains("chmod go-w"), "\(result.errors)")
            #expect(command.files(in: "work/in") == ["a.mov"] && command.files(in: "work/out").isEmpty)
            #expect(try await command.run("archive", "run", "a.plan").exitCode == 0)
        }
    }

    /// The options of the last run are kept next to the plan. A user who can write there could have sources deleted.
    @Test func resume_directoryThatOthersMayWrite_isRefused() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            try await command.archivePlan()
            #expect(try await command.run("archive", "run", "a.plan").exitCode == 0)
            let options = command.path("work/a.plan.d/run.json")
            let text = try String(contentsOfFile: options, encoding: .utf8)
            try text.replacing("\"replaces\":false", with: "\"replaces\":true")
                .write(toFile: options, atomically: false, encoding: .utf8)
            chmod(command.path("work/a.plan.d"), 0o777)
            let result = try await command.run("archive", "resume", "a.plan")
            #expect(result.exitCode == 77 && result.errors.contains("other users can write"), "\(result.errors)")
            #expect(command.files(in: "work/in") == ["a.mov"])
        }
    }

    @Test func run_interrupted_endsTheWorkersAndLeavesNoFiles() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"], seconds: 60)
            try await command.archivePlan("--preset", "placebo")
            let run = try command.start(["archive", "run", "a.plan"])
            try await waitUntil { !command.archiveWorkers().isEmpty && !command.hiddenArchives().isEmpty }
            run.send(SIGINT)
            #expect(try await run.result().exitCode == 1)
            #expect(command.archiveWorkers().isEmpty)
            #expect(command.hiddenArchives().isEmpty)
            #expect(command.files(in: "work/out").isEmpty)
        }
    }

    @Test func run_planAlreadyRunning_isRefusedAndCanBeCancelled() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"], seconds: 60)
            try await command.archivePlan("--preset", "placebo")
            let run = try command.start(["archive", "run", "a.plan"])
            try await waitUntil { !command.archiveWorkers().isEmpty }
            let other = try await command.run("archive", "run", "a.plan")
            #expect(other.exitCode == 75 && other.errors.contains("it is already running"))
            #expect(try await command.run("archive", "status", "a.plan").output.contains("running"))
            #expect(try await command.run("archive", "cancel", "a.plan").exitCode == 0)
            #expect(try await run.result().exitCode == 1)
            #expect(try await command.run("archive", "status", "a.plan").output.contains("cancelled"))
        }
    }

    @Test func run_namesNotUTF8OrWithLineBreaks_makesTheCopies() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            let names = ["in/new\nline", "in/sub"]
            for name in names {
                try FileManager.default.createDirectory(
                    atPath: command.path("work/" + name), withIntermediateDirectories: true)
            }
            let notUTF8: [UInt8] = [0xFF, 0x25] + Array(".mov\0".utf8)
            let strange = Array(command.path("work/in/sub/").utf8) + notUTF8
            let code = strange.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { link(command.path("work/in/a.mov"), $0.baseAddress!) }
            }
            #expect(code == 0)
            link(command.path("work/in/a.mov"), command.path("work/in/new\nline/b.mov"))
            try await command.archivePlan()
            let result = try await command.run("archive", "run", "a.plan")
            #expect(result.exitCode == 0, "\(result.errors)")
            let copy = Array(command.path("work/out/sub/").utf8) + notUTF8
            let isThere = copy.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { access($0.baseAddress!, F_OK) == 0 }
            }
            #expect(isThere)
            #expect(FileManager.default.fileExists(atPath: command.path("work/out/new\nline/b.mov")))
        }
    }

    @Test func archive_invalidPlan_isRefusedWithLineAndColumn() async throws {
        try await Command.inDirectory { command in
            try "{\"archive\":1,\n".write(toFile: command.path("work/a.plan"), atomically: true, encoding: .utf8)
            for word in ["run", "status", "report"] {
                let result = try await command.run("archive", word, "a.plan")
                #expect(result.exitCode == 65 && result.errors.contains("line 1, column"), "\(word)")
            }
            #expect(try await command.run("archive", "run", "none.plan").exitCode == 66)
        }
    }

    @Test func plan_copiesWhereTheSourcesAre_writesNothing() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            for _ in 0..<2 {
                let result = try await command.run("archive", "plan", "in", "--to", "in", "--plan", "a.plan")
                #expect(result.exitCode == 65 && result.errors.contains("--to"), "\(result.errors)")
                #expect(command.files(in: "work") == ["in"])
            }
        }
    }

    /// The fix that the message names is an option of the command.
    @Test func plan_existingPlanFile_isKeptAndTheAdvisedOptionExists() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            try await command.archivePlan()
            let result = try await command.run("archive", "plan", "in", "--to", "out", "--plan", "a.plan")
            #expect(result.exitCode == 73, "\(result.errors)")
            let help = try await command.run("archive", "plan", "--help").output
            for option in result.errors.matches(of: /--[a-z-]+/) { #expect(help.contains(option.0), "\(option.0)") }
            #expect(result.errors.contains("--plan"))
        }
    }

    @Test func plan_truncatedMovie_isReportedAsTruncated() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov", "b.mov"])
            let cut = URL(fileURLWithPath: command.path("work/in/b.mov"))
            try Data(contentsOf: cut).prefix(3000).write(to: cut)
            try Data("plain text".utf8).write(to: URL(fileURLWithPath: command.path("work/in/c.mov")))
            try await command.archivePlan()
            let report = try await command.run("archive", "report", "a.plan")
            let lines = report.output.split(separator: "\n").filter { $0.hasPrefix("skipped: ") }
            #expect(lines.count == 2 && !report.output.contains("plain text"), "\(report.output)")
            #expect(lines.contains { $0.contains("b.mov") && $0.contains("as in a truncated movie") }, "\(lines)")
            #expect(lines.contains { $0.contains("c.mov") && !$0.contains("as in a truncated movie") }, "\(lines)")
        }
    }

    /// Two plans for the same copies run at once: each copy is made once, and both runs succeed.
    @Test func run_twoPlansForTheSameCopies_bothSucceed() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"], seconds: 20)
            try await command.archivePlan("--preset", "slow")
            try FileManager.default.copyItem(
                atPath: command.path("work/a.plan"), toPath: command.path("work/b.plan"))
            let first = try command.start(["archive", "run", "a.plan"])
            try await waitUntil { !command.hiddenArchives().isEmpty || !first.isRunning }
            let second = try command.start(["archive", "run", "b.plan"])
            try await waitUntil { !first.isRunning && !second.isRunning }
            for run in [first, second] {
                let result = try await run.result()
                #expect(result.exitCode == 0, "\(result.errors)")
            }
            #expect(command.files(in: "work/out") == ["a.mov"])
            #expect(command.archiveEvents().filter { $0["event"] as? String == "made" }.count == 1)
        }
    }

    @Test func run_slurmNotInstalled_namesTheMissingProgram() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            try await command.archivePlan()
            let run = try command.start(
                ["archive", "run", "a.plan", "--engine", "slurm"], environment: ["PATH": "/nonexistent"])
            let result = try await run.result()
            #expect(result.exitCode == 69 && result.errors.contains("squeue"))
        }
    }
}
