import ArchiveService
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

/// A Slurm that records its calls and answers as a test wants.
private final class FakeSlurm {
    var calls: [[String]] = []
    /// State, node and perhaps a reason, by array and index.
    var queue: [String: String] = [:]
    private var names: [Int: String] = [:]
    var jobs: [String: String] = [:]
    var refusal: CommandOutcome?
    var isAbsent = false
    private var next = 100

    func run(_ words: [String]) throws(MediaError) -> CommandOutcome {
        if isAbsent {
            throw MediaError(.notFound, "cannot run \(words[0])", reason: "it is not installed on this machine")
        }
        calls.append(words)
        switch words[0] {
        case "sbatch":
            if let refusal { return refusal }
            next += 1
            names[next] = words.first { $0.hasPrefix("--job-name=") }.map { String($0.dropFirst("--job-name=".count)) }
            if let array = words.first(where: { $0.hasPrefix("--array=0-") }) {
                let last = Int(array.dropFirst("--array=0-".count).prefix { $0 != "%" })!
                for index in 0...last { queue["\(next)|\(index)"] = "PENDING|" }
            } else {
                queue["\(next)|N/A"] = "PENDING||Dependency"
            }
            return CommandOutcome(status: 0, output: "\(next)\n")
        case "squeue":
            if let refusal { return refusal }
            let name = String(words.first { $0.hasPrefix("--name=") }!.dropFirst("--name=".count))
            let lines = queue.filter { names[Int($0.key.prefix { $0 != "|" })!] == name }.map { key, value in
                "\(key)|\(value)" + (value.filter { $0 == "|" }.count == 1 ? "|None\n" : "\n")
            }
            return CommandOutcome(status: 0, output: lines.joined())
        case "scontrol":
            guard let text = jobs[words.last!] else { return CommandOutcome(status: 1, errors: "Invalid job id") }
            return CommandOutcome(status: 0, output: text)
        case "scancel":
            queue = queue.filter { key, _ in !words.dropFirst().contains { key.hasPrefix($0 + "|") } }
            return CommandOutcome(status: 0)
        default: return CommandOutcome(status: 1)
        }
    }

    func said(_ program: String) -> [[String]] { calls.filter { $0[0] == program } }
}

@Suite struct SlurmEngineTests {
    private let place: TemporaryDirectory
    private let slurm = FakeSlurm()
    private let clock = ManualClock()
    private let plan: String
    private let directory: RunDirectory

    init() throws {
        place = try TemporaryDirectory()
        plan = place.path("it's 100%.plan")
        directory = RunDirectory(ofPlan: plan)
        try directory.make()
    }

    private func engine(
        joins: [Int: [Int]] = [:], _ change: (inout SlurmOptions) -> Void = { _ in }
    ) throws -> SlurmEngine {
        var options = SlurmOptions()
        change(&options)
        return try SlurmEngine(
            recorder: "/usr/bin/recorder", plan: plan, options: options, joins: joins, clock: clock,
            pause: { [clock] in clock.advance(by: $0) }, run: slurm.run)
    }

    private func account(_ task: Int, exit: Int32, restart: Int = 0) throws {
        var line = Accounting(directory, host: "n1").line(.ended, task: task)
        (line.exit, line.restart) = (exit, restart)
        try Accounting(directory, host: "n1").append(line)
    }

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

    @Test func submit_manyTasks_limitsArrayAndQueueSize() throws {
        let engine = try engine()
        #expect(try engine.submit(Array(1...10_000)) == 4000)
        #expect(slurm.said("sbatch").count == 4)
        #expect(try engine.submit(Array(4001...10_000)) == 0)
        let first = slurm.said("sbatch")[0]
        #expect(first.contains("--array=0-999"))
        #expect(first.contains("--requeue"))
        let list = try String(contentsOfFile: first.last!, encoding: .utf8).split(separator: "\n")
        #expect(list.first == "1" && list.last == "1000" && list.count == 1000)
    }

    @Test func submit_slurmOptions_arePassedToSbatch() throws {
        let engine = try engine {
            ($0.partition, $0.account, $0.qos, $0.nice, $0.timeLimit, $0.throttle) = ("cpu", "lab", "low", 10, 240, 8)
        }
        #expect(try engine.submit([7]) == 1)
        let words = slurm.said("sbatch")[0]
        for word in [
            "--partition=cpu", "--account=lab", "--qos=low", "--nice=10", "--time=240", "--array=0-0%8",
            "--cpus-per-task=4", "--chdir=\(directory.logs)", "--output=slurm-%A_%a.log",
        ] { #expect(words.contains(word), "\(word)") }
    }

    @Test func wait_tasksWithAccounting_returnsTheirExitCodes() throws {
        let engine = try engine()
        _ = try engine.submit([5, 6])
        slurm.queue["101|0"] = "RUNNING|n1"
        #expect(try engine.wait(nanoseconds: 1).isEmpty)
        #expect(try engine.state() == [5: .running(host: "n1"), 6: .waiting(reason: nil)])
        slurm.queue = [:]
        try account(5, exit: 0)
        try account(6, exit: 65)
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(5, .exited(0)), TaskEnd(6, .exited(65))])
        #expect(engine.accounting().count == 2)
    }

    @Test func wait_taskRequeuedBySlurm_hasNotEnded() throws {
        let engine = try engine()
        _ = try engine.submit([5])
        try account(5, exit: 75)
        slurm.queue["101|0"] = "PENDING|"
        #expect(try engine.wait(nanoseconds: 1).isEmpty)
        try account(5, exit: 75, restart: 3)
        slurm.queue = [:]
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(5, .exited(75), restarts: 3)])
    }

    @Test func wait_noAccounting_distinguishesLostFromCancelled() throws {
        let engine = try engine()
        _ = try engine.submit([5, 6])
        slurm.queue = [:]
        slurm.jobs["101_0"] = "JobId=1 JobState=NODE_FAIL ExitCode=0:0 Reason=NodeDown"
        slurm.jobs["101_1"] = "JobId=2 JobState=CANCELLED Reason=None ExitCode=0:15"
        #expect(try engine.wait(nanoseconds: 1).isEmpty)
        #expect(
            try engine.wait(nanoseconds: 10_000_000_000) == [
                TaskEnd(5, .lost("Slurm reports NODE_FAIL")), TaskEnd(6, .cancelled),
            ])
    }

    @Test func engine_afterKilledRun_adoptsItsTasks() throws {
        _ = try engine().submit([3, 4])
        slurm.queue["101|0"] = nil
        #expect(try engine().adopted == [4])
    }

    @Test func engine_jobWithoutSubmissionRecord_cancelsIt() throws {
        _ = try engine().submit([3, 4])
        try FileManager.default.removeItem(atPath: directory.slurm + "/submissions.jsonl")
        #expect(try engine().adopted.isEmpty)
        #expect(slurm.queue.isEmpty)
    }

    @Test func reportJob_severalArrays_dependsOnAllOfThem() throws {
        let engine = try engine()
        _ = try engine.submit([1, 2])
        _ = try engine.submit([3])
        let reports = slurm.said("sbatch").filter { $0.last!.hasSuffix("report.sh") }
        #expect(reports.count == 2 && reports[1].contains("--dependency=afterany:101:103"))
        // The second report waits for both arrays, and replaces the first.
        #expect(slurm.said("scancel") == [["scancel", "102"]])
    }

    @Test func state_taskCannotStart_reportsSlurmsReason() throws {
        let engine = try engine()
        _ = try engine.submit([5, 6])
        slurm.queue["101|0"] = "PENDING||PartitionConfig"
        slurm.queue["101|1"] = "PENDING||Resources"
        _ = try engine.wait(nanoseconds: 1)
        guard case .waiting(let reason?) = try engine.state()[5] else {
            Issue.record("it says nothing")
            return
        }
        #expect(reason.hasPrefix("PartitionConfig; no node has the 4 processors") && reason.contains("--threads"))
        #expect(try engine.state()[6] == .waiting(reason: nil))
    }

    /// A controller forgot what a node still had. The task would wait until a user looks.
    @Test func wait_launchFailedAndHeld_cancelsAndRetriesTheTask() throws {
        let engine = try engine()
        _ = try engine.submit([5, 6, 7])
        slurm.queue["101|0"] = "PENDING||launch failed requeued held"
        slurm.queue["101|1"] = "PENDING||JobHeldUser"
        let ends = try engine.wait(nanoseconds: 1)
        #expect(ends == [TaskEnd(5, .lost("Slurm could not start it: launch failed requeued held"))])
        #expect(ends[0].isTransient)
        #expect(slurm.said("scancel") == [["scancel", "101_0"]])
        // A task that a user holds stays held.
        guard case .waiting(let reason?) = try engine.state()[6] else {
            Issue.record("it says nothing")
            return
        }
        #expect(reason.hasPrefix("JobHeldUser"))
        #expect(try engine.submit([5]) == 1 && slurm.queue["103|0"] != nil)
    }

    @Test func wait_programMissingOnNode_endsTheTask() throws {
        let engine = try engine()
        _ = try engine.submit([5])
        slurm.queue["101|0"] = nil
        slurm.jobs["101_0"] = "JobId=1 JobState=FAILED Reason=NonZeroExitCode ExitCode=127:0"
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(5, .exited(127))])
    }

    @Test func wait_longRun_limitsQueueQueries() throws {
        let engine = try engine()
        _ = try engine.submit(Array(1...1000))
        let before = slurm.said("squeue").count
        for _ in 0..<120 { _ = try engine.wait(nanoseconds: 500_000_000) }
        #expect(slurm.said("squeue").count - before == 13)
    }

    @Test func submit_slurmFull_retriesLater() throws {
        let engine = try engine()
        slurm.refusal = CommandOutcome(
            status: 1, errors: "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying")
        #expect(try engine.submit([1]) == 0)
        slurm.refusal = nil
        #expect(try engine.submit([1]) == 1)
    }

    @Test func wait_slurmUnreachable_losesNoResult() throws {
        let engine = try engine()
        _ = try engine.submit([1])
        slurm.refusal = CommandOutcome(status: 1, errors: "slurm_load_jobs error: Unable to contact slurm controller")
        #expect(try engine.wait(nanoseconds: 60_000_000_000).isEmpty)
        slurm.refusal = nil
        slurm.queue = [:]
        try account(1, exit: 0)
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(1, .exited(0))])
    }

    /// Messages of slurm_strerror(3), as sbatch and squeue print them.
    @Test(arguments: [
        "Batch job submission failed: Zero Bytes were transmitted or received",
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
        "Batch job submission failed: Unexpected message received",
        "slurm_load_jobs error: Slurm backup controller in standby mode",
    ]) func engine_controllerFailsDuringAnswer_retries(_ words: String) throws {
        let engine = try engine()
        slurm.refusal = CommandOutcome(status: 1, errors: words)
        #expect(try engine.submit([5]) == 0)
        slurm.refusal = nil
        #expect(try engine.submit([5]) == 1)
        slurm.refusal = CommandOutcome(status: 1, errors: words)
        #expect(try engine.wait(nanoseconds: 1).isEmpty)
    }

    @Test func engine_slurmMissingOrRefusing_throwsItsReason() throws {
        let engine = try engine()
        slurm.refusal = CommandOutcome(status: 1, errors: "sbatch: error: invalid partition specified: x\n")
        do throws(MediaError) {
            _ = try engine.submit([1])
            Issue.record("it was taken")
        } catch { #expect(error.description.contains("invalid partition specified")) }
        slurm.isAbsent = true
        #expect(throws: MediaError.self) { try self.engine() }
    }

    @Test func cancel_removesOnlyItsOwnJobs() throws {
        let engine = try engine()
        _ = try engine.submit([1, 2])
        slurm.queue["7|0"] = "RUNNING|n1"
        try engine.cancel()
        #expect(slurm.said("scancel") == [["scancel", "101", "102"]])
        #expect(Array(slurm.queue.keys) == ["7|0"])
    }

    @Test func joinTask_queuedWithItsChunks_dependsOnThemAndIsAdopted() throws {
        let engine = try engine(joins: [3: [1, 2]])
        _ = try engine.submit([1, 2])
        let join = slurm.said("sbatch")[1]
        #expect(join.contains("--dependency=afterok:101_0:101_1") && join.contains("--kill-on-invalid-dep=yes"))
        #expect(slurm.said("sbatch").last!.contains("--dependency=afterany:101:102"))
        slurm.queue["101|0"] = nil
        slurm.queue["101|1"] = nil
        try account(1, exit: 0)
        try account(2, exit: 0)
        #expect(try engine.wait(nanoseconds: 10_000_000_000).count == 2)
        // The report may have ended before its run asks for it.
        slurm.queue["102|0"] = nil
        try account(3, exit: 0)
        let before = slurm.said("sbatch").count
        #expect(try engine.submit([3]) == 1)
        #expect(slurm.said("sbatch").dropFirst(before).allSatisfy { $0.last!.hasSuffix("report.sh") })
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(3, .exited(0))])
    }

    @Test func joinTask_chunkRetried_isSubmittedAgain() throws {
        let engine = try engine(joins: [3: [1, 2]])
        _ = try engine.submit([1, 2])
        slurm.queue["101|0"] = nil
        slurm.jobs["101_0"] = "JobId=1 JobState=NODE_FAIL ExitCode=0:0"
        #expect(try engine.wait(nanoseconds: 10_000_000_000).map(\.task) == [1])
        #expect(slurm.said("scancel").contains(["scancel", "102"]))
        _ = try engine.submit([1])
        let joins = slurm.said("sbatch").filter { words in words.contains { $0.hasPrefix("--dependency=afterok") } }
        #expect(joins.count == 2 && joins[1].contains("--dependency=afterok:104_0:101_1"))
    }

    @Test func joinTask_chunksNotAllQueued_isNotQueued() throws {
        let engine = try engine(joins: [3: [1, 2]])
        _ = try engine.submit([1])
        let joins = { slurm.said("sbatch").filter { words in words.contains { $0.hasPrefix("--dependency=afterok") } } }
        #expect(joins().isEmpty)
        // There is no dependency on a finished task.
        slurm.queue["101|0"] = nil
        try account(1, exit: 0)
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(1, .exited(0))])
        _ = try engine.submit([2])
        #expect(joins().count == 1 && joins()[0].contains("--dependency=afterok:103_0"))
    }

    @Test func joinTask_failedBeforeItsTurn_isSubmittedAgain() throws {
        let engine = try engine(joins: [3: [1]])
        _ = try engine.submit([1])
        slurm.queue["101|0"] = nil
        slurm.queue["102|0"] = nil
        try account(1, exit: 0)
        try account(3, exit: 65)
        #expect(try engine.wait(nanoseconds: 10_000_000_000) == [TaskEnd(1, .exited(0))])
        let before = slurm.said("sbatch").count
        #expect(try engine.submit([3]) == 1)
        #expect(slurm.said("sbatch")[before].last!.contains("list-3-"))
    }

    @Test func engine_afterKilledRun_adoptsItsJoinTasks() throws {
        _ = try engine(joins: [3: [1, 2]]).submit([1, 2])
        let next = try engine(joins: [3: [1, 2]])
        #expect(next.adopted == [1, 2])
        #expect(try next.submit([3]) == 1)
        #expect(next.adopted == [1, 2, 3])
        #expect(slurm.queue.keys.filter { $0.hasPrefix("102") }.count == 1)
    }

    @Test func reportScript_anyTaskResult_runsArchiveReport() {
        let script = SlurmScript(recorder: "/usr/bin/recorder", plan: plan, options: SlurmOptions())
        #expect(script.reportSubmission(script: "r.sh", after: ["12"]).contains("--dependency=afterany:12"))
        #expect(script.report.contains("'/usr/bin/recorder' 'archive' 'report'"))
    }

    /// Runs the batch script as Slurm does, with scripts in place of the recorder and of scontrol.
    private func runScript(recorder: String, restarts: Int = 0) throws -> (status: Int32, calls: String) {
        let bin = place.path("bin")
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        for (name, text) in [
            ("recorder", recorder), ("scontrol", "echo scontrol \"$@\" >>'\(bin)/calls'; exit 1"),
        ] {
            try "#!/bin/sh\n\(text)\n".write(toFile: "\(bin)/\(name)", atomically: false, encoding: .utf8)
            chmod("\(bin)/\(name)", 0o755)
        }
        let script = SlurmScript(recorder: bin + "/recorder", plan: plan, options: SlurmOptions())
        try script.task.write(toFile: bin + "/task.sh", atomically: false, encoding: .utf8)
        try "4\n9\n".write(toFile: bin + "/list", atomically: false, encoding: .utf8)
        var launch = ChildProgram.Launch("/bin/sh", [bin + "/task.sh", bin + "/list"])
        launch.environment = [
            "PATH": bin + ":/usr/bin:/bin", "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_JOB_ID": "12",
            "SLURM_RESTART_COUNT": "\(restarts)", "HERE": bin,
        ]
        let status = try ChildProgram(launch).wait()
        return (status, (try? String(contentsOfFile: bin + "/calls", encoding: .utf8)) ?? "")
    }

    @Test func batchScript_runsTheTaskOfItsLine() throws {
        let (status, calls) = try runScript(recorder: "echo \"$@\" >>$HERE/calls")
        #expect(status == 0)
        #expect(calls == "archive task \(plan) 9 --restart 0\n")
        #expect(FileManager.default.fileExists(atPath: directory.log(9)))
    }

    @Test func batchScript_transientExit_requeues() throws {
        #expect(try runScript(recorder: "exit 75").calls == "scontrol requeue 12_1\n")
    }

    @Test(arguments: [("exit 65", 0), ("exit 75", 3), ("exit 0", 0)]) func batchScript_finalExit_endsWithItsCode(
        recorder: String, restarts: Int
    ) throws {
        let (status, calls) = try runScript(recorder: recorder, restarts: restarts)
        #expect(calls.isEmpty)
        #expect("exit \(status)" == recorder)
    }

    @Test func batchScript_programKilledBySignal_requeues() throws {
        #expect(try runScript(recorder: "kill -KILL $$").calls.contains("requeue"))
    }
}
