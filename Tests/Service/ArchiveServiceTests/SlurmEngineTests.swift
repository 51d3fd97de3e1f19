import ArchiveService
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests of what is submitted to Slurm, and what becomes of it.
@Suite struct SlurmEngineTests {
    private let bench: SlurmBench

    init() throws { bench = try SlurmBench() }

    @Test func submit_manyTasks_limitsArrayAndQueueSize() throws {
        let engine = try bench.engine()
        #expect(try engine.submit(Array(1...10_000)) == 4000)
        #expect(bench.slurm.said("sbatch").count == 4)
        #expect(try engine.submit(Array(4001...10_000)) == 0)
        let first = bench.slurm.said("sbatch")[0]
        #expect(first.contains("--array=0-999"))
        #expect(first.contains("--requeue"))
        let list = try String(contentsOfFile: first.last!, encoding: .utf8).split(separator: "\n")
        #expect(list.first == "1" && list.last == "1000" && list.count == 1000)
    }

    @Test func submit_slurmOptions_arePassedToSbatch() throws {
        let engine = try bench.engine {
            ($0.partition, $0.account, $0.qos, $0.nice, $0.timeLimit, $0.throttle) = ("cpu", "lab", "low", 10, 240, 8)
        }
        #expect(try engine.submit([7]) == 1)
        let words = bench.slurm.said("sbatch")[0]
        for word in [
            "--partition=cpu", "--account=lab", "--qos=low", "--nice=10", "--time=240", "--array=0-0%8",
            "--cpus-per-task=4", "--chdir=\(bench.directory.logs)", "--output=slurm-%A_%a.log",
        ] { #expect(words.contains(word), "\(word)") }
    }

    @Test func wait_tasksWithAccounting_returnsTheirExitCodes() throws {
        let engine = try bench.engine()
        _ = try engine.submit([5, 6])
        bench.slurm.queue["101|0"] = "RUNNING|n1"
        #expect(try engine.wait(nanoseconds: 1).isEmpty)
        #expect(try engine.state() == [5: .running(host: "n1"), 6: .waiting(reason: nil)])
        bench.slurm.queue = [:]
        try bench.account(5, exit: 0)
        try bench.account(6, exit: 65)
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(5, .exited(0)), TaskEnd(6, .exited(65))])
        #expect(engine.accounting().count == 2)
    }

    @Test func wait_taskRequeuedBySlurm_hasNotEnded() throws {
        let engine = try bench.engine()
        _ = try engine.submit([5])
        try bench.account(5, exit: 75)
        bench.slurm.queue["101|0"] = "PENDING|"
        #expect(try engine.wait(nanoseconds: 1).isEmpty)
        try bench.account(5, exit: 75, restart: 3)
        bench.slurm.queue = [:]
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(5, .exited(75), restarts: 3)])
    }

    @Test func wait_noAccounting_distinguishesLostFromCancelled() throws {
        let engine = try bench.engine()
        _ = try engine.submit([5, 6])
        bench.slurm.queue = [:]
        bench.slurm.jobs["101_0"] = "JobId=1 JobState=NODE_FAIL ExitCode=0:0 Reason=NodeDown"
        bench.slurm.jobs["101_1"] = "JobId=2 JobState=CANCELLED Reason=None ExitCode=0:15"
        #expect(try engine.wait(nanoseconds: 1).isEmpty)
        #expect(
            try engine.wait(nanoseconds: 10_000_000_000) == [
                TaskEnd(5, .lost("Slurm reports NODE_FAIL")), TaskEnd(6, .cancelled),
            ])
    }

    @Test func engine_afterKilledRun_adoptsItsTasks() throws {
        _ = try bench.engine().submit([3, 4])
        bench.slurm.queue["101|0"] = nil
        #expect(try bench.engine().adopted == [4])
    }

    @Test func engine_jobWithoutSubmissionRecord_cancelsIt() throws {
        _ = try bench.engine().submit([3, 4])
        try FileManager.default.removeItem(atPath: bench.directory.slurm + "/submissions.jsonl")
        #expect(try bench.engine().adopted.isEmpty)
        #expect(bench.slurm.queue.isEmpty)
    }

    @Test func reportJob_severalArrays_dependsOnAllOfThem() throws {
        let engine = try bench.engine()
        _ = try engine.submit([1, 2])
        _ = try engine.submit([3])
        let reports = bench.slurm.said("sbatch").filter { $0.last!.hasSuffix("report.sh") }
        #expect(reports.count == 2 && reports[1].contains("--dependency=afterany:101:103"))
        // The second report waits for both arrays, and replaces the first.
        #expect(bench.slurm.said("scancel") == [["scancel", "102"]])
    }

    @Test func state_taskCannotStart_reportsSlurmsReason() throws {
        let engine = try bench.engine()
        _ = try engine.submit([5, 6])
        bench.slurm.queue["101|0"] = "PENDING||PartitionConfig"
        bench.slurm.queue["101|1"] = "PENDING||Resources"
        _ = try engine.wait(nanoseconds: 1)
        guard case .waiting(let reason?) = try engine.state()[5] else {
            Issue.record("it says nothing")
            return
        }
        #expect(reason.hasPrefix("PartitionConfig; no node has the 4 processors") && reason.contains("--threads"))
        #expect(try engine.state()[6] == .waiting(reason: nil))
    }

    @Test func wait_longRun_limitsQueueQueries() throws {
        let engine = try bench.engine()
        _ = try engine.submit(Array(1...1000))
        let before = bench.slurm.said("squeue").count
        for _ in 0..<120 { _ = try engine.wait(nanoseconds: 500_000_000) }
        #expect(bench.slurm.said("squeue").count - before == 13)
    }

    @Test func cancel_removesOnlyItsOwnJobs() throws {
        let engine = try bench.engine()
        _ = try engine.submit([1, 2])
        bench.slurm.queue["7|0"] = "RUNNING|n1"
        try engine.cancel()
        #expect(bench.slurm.said("scancel") == [["scancel", "101", "102"]])
        #expect(Array(bench.slurm.queue.keys) == ["7|0"])
    }
}
