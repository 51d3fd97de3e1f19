import ArchiveService
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests of a Slurm that fails, or is not there.
@Suite struct SlurmFailureTests {
    private let bench: SlurmBench

    init() throws { bench = try SlurmBench() }

    /// Slurm's programs are installed, and no controller answers them.
    @Test(arguments: [
        "squeue: fatal: Could not establish a configuration source\n",
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n",
    ]) func engine_noControllerAtStart_isNotFound(words: String) throws {
        let slurm = FakeSlurm()
        slurm.refusal = CommandOutcome(status: 1, errors: words)
        let error = #expect(throws: MediaError.self) {
            _ = try SlurmEngine(
                recorder: "/recorder", plan: "/a.plan", options: SlurmOptions(),
                run: { words throws(MediaError) in try slurm.run(words) })
        }
        #expect(error?.code == .notFound)
    }

    /// A controller forgot what a node still had. The task would wait until a user looks.
    @Test func wait_launchFailedAndHeld_cancelsAndRetriesTheTask() throws {
        let engine = try bench.engine()
        _ = try engine.submit([5, 6, 7])
        bench.slurm.queue["101|0"] = "PENDING||launch failed requeued held"
        bench.slurm.queue["101|1"] = "PENDING||JobHeldUser"
        let ends = try engine.wait(nanoseconds: 1)
        #expect(ends == [TaskEnd(5, .lost("Slurm could not start it: launch failed requeued held"))])
        #expect(ends[0].isTransient)
        #expect(bench.slurm.said("scancel") == [["scancel", "101_0"]])
        // A task that a user holds stays held.
        guard case .waiting(let reason?) = try engine.state()[6] else {
            Issue.record("it says nothing")
            return
        }
        #expect(reason.hasPrefix("JobHeldUser"))
        #expect(try engine.submit([5]) == 1 && bench.slurm.queue["103|0"] != nil)
    }

    @Test func wait_programMissingOnNode_endsTheTask() throws {
        let engine = try bench.engine()
        _ = try engine.submit([5])
        bench.slurm.queue["101|0"] = nil
        bench.slurm.jobs["101_0"] = "JobId=1 JobState=FAILED Reason=NonZeroExitCode ExitCode=127:0"
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(5, .exited(127))])
    }

    @Test func submit_slurmFull_retriesLater() throws {
        let engine = try bench.engine()
        bench.slurm.refusal = CommandOutcome(
            status: 1, errors: "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying")
        #expect(try engine.submit([1]) == 0)
        bench.slurm.refusal = nil
        #expect(try engine.submit([1]) == 1)
    }

    @Test func submit_acceptedWithoutAnswer_runsTheTasksOnce() throws {
        let engine = try bench.engine()
        bench.slurm.isSilent = true
        #expect(try engine.submit([5, 6]) == 0)
        #expect(bench.slurm.queue.keys.sorted() == ["101|0", "101|1"])
        bench.slurm.isSilent = false
        #expect(try engine.wait(nanoseconds: 1).isEmpty)
        #expect(bench.slurm.queue.isEmpty && bench.slurm.said("scancel") == [["scancel", "101"]])
        #expect(try engine.submit([5, 6]) == 2)
        // The second submission and its report stay.
        #expect(try engine.wait(nanoseconds: 10_000_000_000).isEmpty)
        #expect(bench.slurm.queue.keys.sorted() == ["102|0", "102|1", "103|N/A"])
    }

    @Test func submit_acceptedLate_isCancelledToo() throws {
        let engine = try bench.engine()
        bench.slurm.refusal = CommandOutcome(
            status: 1, errors: "Batch job submission failed: Socket timed out on send/recv operation")
        #expect(try engine.submit([5]) == 0)
        bench.slurm.refusal = nil
        #expect(try engine.wait(nanoseconds: 1).isEmpty)
        #expect(try engine.submit([5]) == 1)
        bench.slurm.isSilent = true
        // The controller carries out the first request only now.
        #expect(throws: MediaError.self) {
            try bench.slurm.run(["sbatch", "--job-name=\(bench.jobName)", "--array=0-0"])
        }
        #expect(bench.slurm.queue["103|0"] != nil)
        #expect(try engine.wait(nanoseconds: 10_000_000_000).isEmpty)
        #expect(bench.slurm.queue["103|0"] == nil && bench.slurm.queue["101|0"] != nil)
    }

    @Test(arguments: [
        "sbatch: error: AssocMaxSubmitJobLimit", "Batch job submission failed: Zero Bytes were transmitted or received",
    ]) func submit_refusedRepeatedly_leavesAtMostOneList(words: String) throws {
        let engine = try bench.engine()
        bench.slurm.refusal = CommandOutcome(status: 1, errors: words)
        for _ in 0..<20 { #expect(try engine.submit([5, 6]) == 0) }
        let lists = try FileManager.default.contentsOfDirectory(atPath: bench.directory.slurm)
            .filter { $0.hasPrefix("list-") }
        #expect(lists.count <= 1, "\(lists)")
    }

    @Test func wait_slurmUnreachable_losesNoResult() throws {
        let engine = try bench.engine()
        _ = try engine.submit([1])
        bench.slurm.refusal = CommandOutcome(
            status: 1, errors: "slurm_load_jobs error: Unable to contact slurm controller")
        #expect(try engine.wait(nanoseconds: 60_000_000_000).isEmpty)
        bench.slurm.refusal = nil
        bench.slurm.queue = [:]
        try bench.account(1, exit: 0)
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(1, .exited(0))])
    }

    /// Messages of slurm_strerror(3), as sbatch and squeue print them.
    @Test(arguments: [
        "Batch job submission failed: Zero Bytes were transmitted or received",
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
        "Batch job submission failed: Unexpected message received",
        "slurm_load_jobs error: Slurm backup controller in standby mode",
        "squeue: error: slurm_msg_sendto: address:port=10.1.1.1:6817 msg_type=2003: Unexpected missing socket error",
    ]) func engine_controllerFailsDuringAnswer_retries(_ words: String) throws {
        let engine = try bench.engine()
        bench.slurm.refusal = CommandOutcome(status: 1, errors: words)
        #expect(try engine.submit([5]) == 0)
        bench.slurm.refusal = nil
        #expect(try engine.submit([5]) == 1)
        bench.slurm.refusal = CommandOutcome(status: 1, errors: words)
        #expect(try engine.wait(nanoseconds: 1).isEmpty)
    }

    @Test func engine_slurmMissingOrRefusing_throwsItsReason() throws {
        let engine = try bench.engine()
        bench.slurm.refusal = CommandOutcome(status: 1, errors: "sbatch: error: invalid partition specified: x\n")
        do throws(MediaError) {
            _ = try engine.submit([1])
            Issue.record("it was taken")
        } catch { #expect(error.description.contains("invalid partition specified")) }
        bench.slurm.isAbsent = true
        #expect(throws: MediaError.self) { try bench.engine() }
    }
}
