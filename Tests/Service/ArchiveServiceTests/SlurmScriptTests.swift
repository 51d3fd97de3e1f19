import ArchiveService
import Foundation
import TestSupport
import Testing

/// Tests of the scripts that Slurm runs on its nodes.
@Suite struct SlurmScriptTests {
    private let bench: SlurmBench

    init() throws { bench = try SlurmBench() }

    @Test func reportScript_anyTaskResult_runsArchiveReport() {
        let script = SlurmScript(recorder: "/usr/bin/recorder", plan: bench.plan, options: SlurmOptions())
        #expect(script.reportSubmission(script: "r.sh", after: ["12"]).contains("--dependency=afterany:12"))
        #expect(script.report.contains("'/usr/bin/recorder' 'archive' 'report'"))
    }

    /// Runs the batch script as Slurm does, with scripts in place of the recorder and of scontrol.
    private func runScript(recorder: String, restarts: Int = 0) throws -> (status: Int32, calls: String) {
        let bin = bench.place.path("bin")
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        for (name, text) in [
            ("recorder", recorder), ("scontrol", "echo scontrol \"$@\" >>'\(bin)/calls'; exit 1"),
        ] {
            try "#!/bin/sh\n\(text)\n".write(toFile: "\(bin)/\(name)", atomically: false, encoding: .utf8)
            chmod("\(bin)/\(name)", 0o755)
        }
        let script = SlurmScript(recorder: bin + "/recorder", plan: bench.plan, options: SlurmOptions())
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
        #expect(calls == "archive task \(bench.plan) 9 --restart 0\n")
        #expect(FileManager.default.fileExists(atPath: bench.directory.log(9)))
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
