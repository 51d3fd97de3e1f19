import ArchiveService
import MediaTypes
import RealTime
import TestSupport

/// The run of a plan on a Slurm that a test controls.
struct SlurmBench {
    let place: TemporaryDirectory
    let slurm = FakeSlurm()
    let clock = ManualClock()
    let plan: String
    let directory: RunDirectory

    init() throws {
        place = try TemporaryDirectory()
        plan = place.path("it's 100%.plan")
        directory = RunDirectory(ofPlan: plan)
        try directory.make()
    }

    func engine(
        joins: [Int: [Int]] = [:], _ change: (inout SlurmOptions) -> Void = { _ in }
    ) throws -> SlurmEngine {
        var options = SlurmOptions()
        change(&options)
        return try SlurmEngine(
            recorder: "/usr/bin/recorder", plan: plan, options: options, joins: joins, clock: clock,
            pause: { [clock] in clock.advance(by: $0) }, run: slurm.run)
    }

    /// The name of the plan's jobs, from the last submission.
    var jobName: String {
        slurm.said("sbatch").last?.first { $0.hasPrefix("--job-name=") }?.replacing("--job-name=", with: "") ?? ""
    }

    /// The submissions of tasks that join chunks.
    var joins: [[String]] {
        slurm.said("sbatch").filter { words in words.contains { $0.hasPrefix("--dependency=afterok") } }
    }

    func account(_ task: Int, exit: Int32, restart: Int = 0) throws {
        var line = Accounting(directory, host: "n1").line(.ended, task: task)
        (line.exit, line.restart) = (exit, restart)
        try Accounting(directory, host: "n1").append(line)
    }
}
