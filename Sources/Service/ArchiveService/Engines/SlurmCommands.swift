import CommandInterface
import Cryptography
import Foundation
import MediaTypes

/// Slurm's programs, restricted to the jobs of one plan. These jobs have a common name.
struct SlurmCommands {
    struct Place: Hashable {
        /// The job number of the array.
        let job: Int
        /// The index in the array; −1 for a job that is not an array.
        let index: Int

        /// The name that Slurm's programs use.
        var name: String { index < 0 ? "\(job)" : "\(job)_\(index)" }
    }

    /// The result of a submission.
    enum Submission: Hashable {
        case accepted(Int)
        /// Slurm's queue is full.
        case full
        /// Slurm did not answer. It may have accepted the job. If so, the queue lists the job now or later.
        case unknown
    }

    /// The name of the plan's jobs. It is the same on all machines that use the same path for the plan.
    let name: String
    private let run: CommandRunner

    /// Creates the commands.
    ///
    /// - Parameter plan: The plan's absolute path.
    init(plan: String, _ run: @escaping CommandRunner) {
        name = Self.name(plan)
        self.run = run
    }

    static func name(_ plan: String) -> String {
        "archive-" + SHA256.hash(data: Data(plan.utf8)).prefix(4).hexadecimal
    }

    /// Submits a job with sbatch.
    ///
    /// - Parameter words: The arguments of sbatch.
    /// - Throws: An error if Slurm refuses the job permanently.
    func submit(_ words: [String]) throws(MediaError) -> Submission {
        let answer: CommandOutcome
        do throws(MediaError) { answer = try run(words) } catch {
            guard error.code == .busy else { throw error }
            return .unknown
        }
        if answer.status == 0, let job = SlurmQueue.submitted(answer.output) { return .accepted(job) }
        if SlurmQueue.isInterrupted(answer.errors) { return .unknown }
        if SlurmQueue.isFull(answer.errors) { return .full }
        throw Self.refusal("sbatch", answer)
    }

    /// Returns the plan's jobs in the queue that have not ended.
    func queue() throws(MediaError) -> [Place: SlurmQueue.Job] {
        let answer = try run(SlurmQueue.words(name: name))
        guard answer.status == 0 else { throw Self.refusal("squeue", answer) }
        var places: [Place: SlurmQueue.Job] = [:]
        for job in SlurmQueue.jobs(answer.output) where SlurmQueue.isAlive(job.state) {
            places[Place(job: job.job, index: job.index)] = job
        }
        return places
    }

    /// Returns how a job ended; nil if Slurm has forgotten it.
    func end(of place: Place) throws(MediaError) -> SlurmQueue.End? {
        let answer = try run(["scontrol", "show", "job", "-o", place.name])
        return answer.status == 0 ? SlurmQueue.end(answer.output) : nil
    }

    /// Removes one task from the queue. Returns false if Slurm has not removed it.
    func takeOut(_ place: Place) throws(MediaError) -> Bool {
        do throws(MediaError) {
            return try run(["scancel", place.name]).status == 0
        } catch {
            guard error.code == .busy else { throw error }
            return false
        }
    }

    /// Removes jobs from the queue.
    func cancel(_ jobs: Set<Int>) throws(MediaError) {
        guard !jobs.isEmpty else { return }
        let answer = try run(["scancel"] + jobs.sorted().map(String.init))
        guard answer.status == 0 else { throw Self.refusal("scancel", answer) }
    }

    private static func refusal(_ program: String, _ answer: CommandOutcome) -> MediaError {
        let line = answer.errors.split(separator: "\n").first.map { PlainText.line(String($0)) } ?? ""
        // Slurm 23 and later refuse a job at once if no node can run it (sbatch(1), job_submit errors).
        let isTooLarge = answer.errors.contains("CPU count per node can not be satisfied")
        return MediaError(
            SlurmQueue.isFull(answer.errors) ? .busy : .unsupported, "\(program) failed",
            reason: line.isEmpty ? "exit status \(answer.status)" : line,
            wayOut: isTooLarge
                ? "no node has the processors that a task needs: plan again with fewer `--threads`, or choose another "
                    + "`--partition`" : "run `sinfo` to check whether Slurm is available")
    }
}
