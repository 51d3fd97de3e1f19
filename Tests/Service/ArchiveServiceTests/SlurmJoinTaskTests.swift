import ArchiveService
import Foundation
import TestSupport
import Testing

/// Tests of tasks that join the chunks of a movie.
@Suite struct SlurmJoinTaskTests {
    private let bench: SlurmBench

    init() throws { bench = try SlurmBench() }

    @Test func joinTask_queuedWithItsChunks_dependsOnThemAndIsAdopted() throws {
        let engine = try bench.engine(joins: [3: [1, 2]])
        _ = try engine.submit([1, 2])
        let join = bench.slurm.said("sbatch")[1]
        #expect(join.contains("--dependency=afterok:101_0:101_1") && join.contains("--kill-on-invalid-dep=yes"))
        #expect(bench.slurm.said("sbatch").last!.contains("--dependency=afterany:101:102"))
        bench.slurm.queue["101|0"] = nil
        bench.slurm.queue["101|1"] = nil
        try bench.account(1, exit: 0)
        try bench.account(2, exit: 0)
        #expect(try engine.wait(nanoseconds: 10_000_000_000).count == 2)
        // The report may have ended before its run asks for it.
        bench.slurm.queue["102|0"] = nil
        try bench.account(3, exit: 0)
        let before = bench.slurm.said("sbatch").count
        #expect(try engine.submit([3]) == 1)
        #expect(bench.slurm.said("sbatch").dropFirst(before).allSatisfy { $0.last!.hasSuffix("report.sh") })
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(3, .exited(0))])
    }

    @Test func joinTask_chunkRetried_isSubmittedAgain() throws {
        let engine = try bench.engine(joins: [3: [1, 2]])
        _ = try engine.submit([1, 2])
        bench.slurm.queue["101|0"] = nil
        bench.slurm.jobs["101_0"] = "JobId=1 JobState=NODE_FAIL ExitCode=0:0"
        #expect(try engine.wait(nanoseconds: 10_000_000_000).map(\.task) == [1])
        #expect(bench.slurm.said("scancel").contains(["scancel", "102"]))
        _ = try engine.submit([1])
        let joins = bench.joins
        #expect(joins.count == 2 && joins[1].contains("--dependency=afterok:104_0:101_1"))
    }

    @Test func joinTask_chunksNotAllQueued_isNotQueued() throws {
        let engine = try bench.engine(joins: [3: [1, 2]])
        _ = try engine.submit([1])
        #expect(bench.joins.isEmpty)
        // There is no dependency on a finished task.
        bench.slurm.queue["101|0"] = nil
        try bench.account(1, exit: 0)
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(1, .exited(0))])
        _ = try engine.submit([2])
        #expect(bench.joins.count == 1 && bench.joins[0].contains("--dependency=afterok:103_0"))
    }

    @Test func joinTask_failedBeforeItsTurn_isSubmittedAgain() throws {
        let engine = try bench.engine(joins: [3: [1]])
        _ = try engine.submit([1])
        bench.slurm.queue["101|0"] = nil
        bench.slurm.queue["102|0"] = nil
        try bench.account(1, exit: 0)
        try bench.account(3, exit: 65)
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(1, .exited(0))])
        let before = bench.slurm.said("sbatch").count
        #expect(try engine.submit([3]) == 1)
        #expect(bench.slurm.said("sbatch")[before].last!.contains("list-3-"))
    }

    @Test func engine_afterKilledRun_adoptsItsJoinTasks() throws {
        _ = try bench.engine(joins: [3: [1, 2]]).submit([1, 2])
        let next = try bench.engine(joins: [3: [1, 2]])
        #expect(next.adopted == [1, 2])
        #expect(try next.submit([3]) == 1)
        #expect(next.adopted == [1, 2, 3])
        #expect(bench.slurm.queue.keys.filter { $0.hasPrefix("102") }.count == 1)
    }
}
