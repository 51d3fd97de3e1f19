import FileSystem
import Foundation
import TestSupport
import Testing

/// `recorder archive` on a Slurm cluster of three nodes, with typical cluster failures. RECORDER_ARCHIVE_MOVIES sets the
/// number of movies; `scripts/soak archive` uses 200.
@Suite(.timeLimit(.minutes(60)), .serialized) struct ArchiveOnSlurmTests {
    private static func number(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    private static func withLab(
        nodes: Int = 3, processors: Int = 1, _ body: (Command, SlurmLab) async throws -> Void
    ) async throws {
        try await Command.inDirectory { command in
            let lab = try SlurmLab(in: command.path("slurm"), nodes: nodes, processors: processors)
            do { try await body(command, lab) } catch {
                lab.stop()
                throw error
            }
            lab.stop()
        }
    }

    private static func made(_ command: Command) -> [String: Int] {
        var made: [String: Int] = [:]
        for event in command.archiveEvents() where event["event"] as? String == "made" {
            made[event["file"] as? String ?? "", default: 0] += 1
        }
        return made
    }

    @Test func run_nodeAndControllerDie_encodesEachIntactMovieOnce() async throws {
        let count = Self.number("RECORDER_ARCHIVE_MOVIES", 40)
        try await Self.withLab { command, lab in
            let movies = try ArchiveMix(
                count, damaged: max(6, count * 12 / 200), seconds: count < 200 ? 2...6 : 5...30, in: command)
            try await command.archivePlan("--threads", "1")
            try command.splitArchivePlan()
            let run = try command.start(
                ["archive", "run", "a.plan", "--engine", "slurm", "--quiet"], environment: lab.environment)
            try await waitUntil(within: 600) { Self.made(command).count >= count / 8 || !run.isRunning }
            try lab.kill("n2")
            try await waitUntil(within: 600) { Self.made(command).count >= count / 3 || !run.isRunning }
            try lab.restart()
            try lab.revive("n2")
            try await waitUntil(within: 1800) { !run.isRunning }
            let result = try await run.result()
            #expect(result.exitCode == 65, "\(result.errors)")

            // Each intact movie is encoded once.
            let made = Self.made(command)
            #expect(made.values.allSatisfy { $0 == 1 }, "\(made.filter { $0.value != 1 })")
            let copies = movies.whole.map(\.removingExtension)
            #expect(Set(command.files(in: "work/out").map(\.removingExtension)) == Set(copies))
            #expect(command.hiddenArchives().isEmpty)
            // Each damaged movie is reported with a reason.
            let report = try await command.run("archive", "report", "a.plan", "--json")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any])
            #expect(object["done"] as? Int == movies.whole.count)
            let named = ["failed", "skipped"].flatMap { object[$0] as? [[String: Any]] ?? [] }
            for movie in movies.damaged {
                let entry = named.first { ($0["source"] as? String)?.hasSuffix("/" + movie) == true }
                #expect((entry?["reason"] as? String)?.isEmpty == false, "\(movie)")
            }
            #expect(named.count == movies.damaged.count, "\(named)")
            // More than one node has worked.
            #expect(Set(command.archiveEvents().compactMap { $0["host"] as? String }).isSuperset(of: ["n1", "n3"]))

            // The same plan on this machine produces the same bytes.
            let plan = try String(contentsOfFile: command.path("work/a.plan"), encoding: .utf8)
                .replacing(command.path("work/out"), with: command.path("work/here"))
            try plan.write(toFile: command.path("work/here.plan"), atomically: true, encoding: .utf8)
            let local = try command.start(["archive", "run", "here.plan", "--quiet"])
            try await waitUntil(within: 1800) { !local.isRunning }
            #expect(try await local.result().exitCode == 65)
            #expect(command.files(in: "work/here") == command.files(in: "work/out"))
            let others = command.files(in: "work/out").filter {
                !FileManager.default.contentsEqual(
                    atPath: command.path("work/out/" + $0), andPath: command.path("work/here/" + $0))
            }
            #expect(others.isEmpty, "different on Slurm and here")
            print("archive: \(movies.whole.count) of \(count) files on Slurm, each once, \(movies.damaged.count) named")
        }
    }

    /// True if this user may create network namespaces, in which the lab's nodes have addresses of their own.
    private static let hasNetworks = (try? TestSupport.Command.run("unshare", "-n", "true").status) == 0

    @Test(.enabled(if: hasNetworks, "this user cannot create network namespaces"))
    func run_nodeDisconnected_makesOneCopy() async throws {
        try await Self.withLab(nodes: 2) { command, lab in
            try #require(lab.hasNamespaces, "the lab has no network namespaces")
            try command.archiveMovies(["a.mov"], seconds: 600)
            try await command.archivePlan("--threads", "1", "--preset", "placebo")
            let run = try command.start(
                ["archive", "run", "a.plan", "--engine", "slurm", "--quiet"], environment: lab.environment)
            try await waitUntil { !command.hiddenArchives().isEmpty }
            let node = try #require(command.archiveEvents().last?["host"] as? String)
            try lab.cut(node)
            // Slurm gives the node up and starts the task on another, unless the task ends before that.
            let isBegun = { command.archiveEvents().filter { $0["event"] as? String == "begun" }.count }
            try await waitUntil { isBegun() > 1 || Self.made(command).count == 1 }
            try lab.mend(node)
            try await waitUntil { !run.isRunning }
            let result = try await run.result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(Array(Self.made(command).values) == [1])
            #expect(command.files(in: "work/out") == ["a.mov"])
            print("archive: \(node) was cut off, and its task was begun \(isBegun()) times")
        }
    }

    @Test func run_controllerKilledAfterSubmission_encodesEachMovieOnce() async throws {
        try await Self.withLab { command, lab in
            try command.archiveMovies((0..<6).map { "movie-\($0).mov" })
            try await command.archivePlan("--threads", "1")
            try command.splitArchivePlan()
            let run = try command.start(
                ["archive", "run", "a.plan", "--engine", "slurm", "--quiet"], environment: lab.environment)
            // The run is killed before it records what it submitted.
            try await waitUntil { !((try? lab.queue()) ?? []).isEmpty }
            try lab.pause()
            try lab.resume()
            try await waitUntil { !run.isRunning }
            let result = try await run.result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(command.files(in: "work/out").count == 6)
            #expect(Self.made(command).values.allSatisfy { $0 == 1 })
        }
    }

    @Test func run_killedAfterSubmission_slurmMakesCopiesAndReport() async throws {
        try await Self.withLab { command, lab in
            try command.archiveMovies((0..<6).map { "movie-\($0).mov" })
            try await command.archivePlan("--threads", "1")
            try command.splitArchivePlan()
            let run = try command.start(
                ["archive", "run", "a.plan", "--engine", "slurm", "--quiet"], environment: lab.environment)
            // The report is the last task that the run submits to Slurm.
            try await waitUntil { ((try? lab.queue()) ?? []).contains { $0.contains("Dependency") } }
            run.send(SIGKILL)
            _ = try await run.result()
            try await waitUntil {
                FileManager.default.fileExists(atPath: command.path("work/a.plan.d/report.html"))
            }
            #expect(command.files(in: "work/out").count == 6)
            let resumed = try command.start(["archive", "resume", "a.plan"], environment: lab.environment)
            #expect(try await resumed.result().exitCode == 0)
            #expect(Self.made(command).values.allSatisfy { $0 == 1 })
        }
    }

    @Test func run_killedAfterSubmittingChunks_slurmJoinsThem() async throws {
        try await Self.withLab { command, lab in
            try command.archiveMovies(["a.mov"], seconds: 150)
            try await command.archivePlan("--threads", "1", "--chunks", "1m")
            let run = try command.start(
                ["archive", "run", "a.plan", "--engine", "slurm", "--quiet"], environment: lab.environment)
            // These are the chunks and the audio, the join that waits for them, and the report that waits for all.
            try await waitUntil {
                ((try? lab.queue()) ?? []).filter { $0.contains("Dependency") }.count == 2
            }
            run.send(SIGKILL)
            _ = try await run.result()
            try await waitUntil {
                FileManager.default.fileExists(atPath: command.path("work/a.plan.d/report.html"))
            }
            #expect(command.files(in: "work/out") == ["a.mov"])
            let resumed = try command.start(["archive", "resume", "a.plan"], environment: lab.environment)
            #expect(try await resumed.result().exitCode == 0)
            #expect(command.hiddenArchives().isEmpty)
        }
    }

    @Test func run_taskTooLargeForEveryNode_isReportedAndCancelled() async throws {
        try await Self.withLab(nodes: 1) { command, lab in
            try command.archiveMovies(["a.mov"])
            try await command.archivePlan("--threads", "4")
            let run = try command.start(
                ["archive", "run", "a.plan", "--engine", "slurm"], environment: lab.environment)
            try await waitUntil(within: 600) { run.errors.contains("PartitionConfig") || !run.isRunning }
            guard run.isRunning else {
                // Slurm 23 and later do not queue it.
                let result = try await run.result()
                #expect(result.exitCode == 64)
                #expect(result.errors.contains("no node has the processors"), "\(result.errors)")
                return
            }
            #expect(run.errors.contains("no node has the 4 processors"))
            let cancel = try command.start(["archive", "cancel", "a.plan"], environment: lab.environment)
            #expect(try await cancel.result().exitCode == 0)
            #expect(try await run.result().exitCode == 1)
            try await waitUntil { (try? lab.queue())?.isEmpty == true }
        }
    }

    @Test func run_stagedOnTheNodesDisk_makesCopiesAndRemovesTheStage() async throws {
        try await Self.withLab(nodes: 1) { command, lab in
            try command.archiveMovies(["a.mov", "b.mov"])
            try await command.archivePlan("--threads", "1")
            // These files were left by an attempt that died.
            let dead = command.path("work/stage/.archive-0123456789abcdef")
            try FileManager.default.createDirectory(atPath: dead, withIntermediateDirectories: true)
            try Data("recorder archive\nn1 1\n".utf8).write(to: URL(fileURLWithPath: dead + "/claim"))
            try Data("half".utf8).write(to: URL(fileURLWithPath: dead + "/movie.mov"))
            try Data("mine".utf8).write(to: URL(fileURLWithPath: command.path("work/stage/mine")))
            let run = try command.start(
                ["archive", "run", "a.plan", "--engine", "slurm", "--stage", "stage"], environment: lab.environment)
            try await waitUntil { !run.isRunning }
            #expect(try await run.result().exitCode == 0)
            #expect(command.files(in: "work/out") == ["a.mov", "b.mov"])
            #expect(command.files(in: "work/stage") == ["mine"])
            #expect(command.hiddenArchives().isEmpty)
        }
    }
}
