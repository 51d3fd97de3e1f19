import Foundation
import TestSupport
import Testing

/// Bad directories, movies and disks: one clear line for each movie that fails, and the others are encoded.
@Suite(.timeLimit(.minutes(10))) struct ArchiveBadInputTests {
    /// Makes movies `in/a/…` and `in/b/…`; the target of `a` has the fault.
    private func movies(_ command: Command) async throws {
        for directory in ["a", "b"] {
            for parent in ["in", "out"] {
                try FileManager.default.createDirectory(
                    atPath: command.path("work/\(parent)/\(directory)"), withIntermediateDirectories: true)
            }
            try command.movie("in/\(directory)/\(directory).mov", size: "64x48", seconds: 2)
        }
        try await command.archivePlan()
        try command.splitArchivePlan()
    }

    /// Runs the plan in a mount namespace of its own, with something mounted on `out/a`. Fails if this user cannot
    /// create namespaces.
    private func run(_ command: Command, mounting mount: String) throws -> TestSupport.Command {
        let namespace = try TestSupport.Command.run("unshare", "-rm", "true")
        try #require(namespace.status == 0, "\(namespace.errors)")
        return try TestSupport.Command.run(
            "env", "-C", command.path("work"), "HOME=\(command.path("home"))",
            "XDG_RUNTIME_DIR=\(command.path("run"))", "timeout", "-s", "KILL", "900", "unshare", "-rm", "sh", "-c",
            mount + " && exec \"$0\" archive run a.plan", command.executablePath)
    }

    private func judge(_ result: TestSupport.Command, _ command: Command, _ word: String) throws {
        #expect(result.status == 65, "\(result.text)\(result.errors)")
        let lines = result.errors.split(separator: "\n").filter { $0.contains("/in/a/a.mov: ") }
        #expect(lines.count == 1 && lines[0].contains(word), "\(result.errors)")
        #expect(command.files(in: "work/out/b") == ["b.mov"] && command.files(in: "work/out/a").isEmpty)
        #expect(command.files(in: "work/in/a") == ["a.mov"])
    }

    @Test func run_readOnlyTarget_reportsItAndContinues() async throws {
        try await Command.inDirectory { command in
            try await movies(command)
            let mount = "mount --bind out/a out/a && mount -o remount,bind,ro out/a"
            try judge(run(command, mounting: mount), command, "read-only file system")
        }
    }

    @Test func run_fullTargetDisk_reportsItAndContinues() async throws {
        try await Command.inDirectory { command in
            try await movies(command)
            try judge(run(command, mounting: "mount -t tmpfs -o size=16k none out/a"), command, "no space left")
            // With space, the movie is encoded.
            let again = try await command.run("archive", "resume", "a.plan")
            #expect(again.exitCode == 0, "\(again.errors)")
            #expect(command.files(in: "work/out/a") == ["a.mov"])
        }
    }

    @Test func run_fileInPlaceOfTheTarget_reportsItAndContinues() async throws {
        try await Command.inDirectory { command in
            try await movies(command)
            try FileManager.default.removeItem(atPath: command.path("work/out/a"))
            try Data("mine".utf8).write(to: URL(fileURLWithPath: command.path("work/out/a")))
            let result = try await command.run("archive", "run", "a.plan")
            #expect(result.exitCode == 65 && result.errors.contains("/in/a/a.mov: "), "\(result.errors)")
            #expect(try String(contentsOfFile: command.path("work/out/a"), encoding: .utf8) == "mine")
            #expect(command.files(in: "work/out/b") == ["b.mov"])
        }
    }

    @Test func run_targetDisappears_resumeMakesTheCopy() async throws {
        try await Command.inDirectory { command in
            try FileManager.default.createDirectory(
                atPath: command.path("work/in"), withIntermediateDirectories: true)
            try command.movie("in/a.mov", size: "640x480", seconds: 20)
            try await command.archivePlan()
            let run = try command.start(["archive", "run", "a.plan"])
            try await waitUntil { !command.hiddenArchives().isEmpty }
            try FileManager.default.moveItem(atPath: command.path("work/out"), toPath: command.path("work/gone"))
            let result = try await run.result()
            // The movie is encoded again or reported, and never left incomplete or under another name.
            #expect([0, 65].contains(result.exitCode), "\(result.errors)")
            if result.exitCode != 0 { #expect(result.errors.contains("/in/a.mov: "), "\(result.errors)") }
            let again = try await command.run("archive", "resume", "a.plan")
            #expect(again.exitCode == 0, "\(again.errors)")
            #expect(command.files(in: "work/out") == ["a.mov"])
            #expect(try await command.run("verify", "out/a.mov", "--against", "in/a.mov").exitCode == 0)
        }
    }

    @Test func archive_directoryNamesNotUTF8_makesTheCopies() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"])
            // A shell passes the bytes on unchanged.
            let script = """
                d=$(printf 'in/\\377%%41 \\nb'); o=$(printf 'out\\376'); mkdir "$d" && mv in/a.mov "$d/" \
                && "$0" archive plan "$d" --to "$o" --plan a.plan --preset ultrafast \
                && "$0" archive run a.plan && "$0" archive report a.plan && test -f "$o/a.mov"
                """
            let result = try TestSupport.Command.run(
                "env", "-C", command.path("work"), "HOME=\(command.path("home"))",
                "XDG_RUNTIME_DIR=\(command.path("run"))", "bash", "-c", script, command.executablePath)
            #expect(result.status == 0, "\(result.text)\(result.errors)")
            let plan = try String(contentsOfFile: command.path("work/a.plan"), encoding: .utf8)
            #expect(plan.contains(#"in/%FF%2541 \nb/a.mov"#) && plan.contains(#"out%FE/a.mov"#), "\(plan)")
        }
    }

    @Test func plan_missingDirectory_isReported() async throws {
        try await Command.inDirectory { command in
            let result = try await command.run("archive", "plan", "gone", "--to", "out", "--plan", "a.plan")
            #expect(result.exitCode == 66 && result.errors.contains("/gone"), "\(result.errors)")
            #expect(command.files(in: "work").isEmpty)
        }
    }
}
