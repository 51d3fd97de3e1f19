import CommandInterface
import Crypto
import Foundation
import MediaTypes

/// Slurm's own programs, asked about the jobs of one plan: these are told from all others by their name.
struct SlurmCommands {
    struct Place: Hashable {
        /// Of the array.
        let job: Int
        /// In it; -1 for what is no array.
        let index: Int

        /// As Slurm's programs call it.
        var name: String { index < 0 ? "\(job)" : "\(job)_\(index)" }
    }

    /// Of the plan's jobs, the same on all machines that see it.
    let name: String
    private let run: CommandRunner

    /// - Parameter plan: absolute.
    init(plan: String, _ run: @escaping CommandRunner) {
        name = Self.name(plan)
        self.run = run
    }

    static func name(_ plan: String) -> String {
        "archive-" + SHA256.hash(data: Data(plan.utf8)).prefix(4).hexadecimal
    }

    /// - Parameter words: of sbatch.
    /// - Returns: the job; nil where Slurm has no room now, or does not answer.
    func submit(_ words: [String]) throws(MediaError) -> Int? {
        let answer: CommandOutcome
        do throws(MediaError) { answer = try run(words) } catch {
            // It may have been taken all the same; whoever looks at the queue next sees that.
            guard error.code == .busy else { throw error }
            return nil
        }
        if answer.status == 0, let job = SlurmQueue.submitted(answer.output) { return job }
        if SlurmQueue.isFull(answer.errors) { return nil }
        throw Self.refusal("sbatch", answer)
    }

    /// What is in the queue and has not come to its end.
    func queue() throws(MediaError) -> [Place: SlurmQueue.Job] {
        let answer = try run(SlurmQueue.words(name: name))
        guard answer.status == 0 else { throw Self.refusal("squeue", answer) }
        var places: [Place: SlurmQueue.Job] = [:]
        for job in SlurmQueue.jobs(answer.output) where SlurmQueue.isAlive(job.state) {
            places[Place(job: job.job, index: job.index)] = job
        }
        return places
    }

    /// How a job ended; nil where Slurm has forgotten it.
    func end(of place: Place) throws(MediaError) -> SlurmQueue.End? {
        let answer = try run(["scontrol", "show", "job", "-o", place.name])
        return answer.status == 0 ? SlurmQueue.end(answer.output) : nil
    }

    /// Takes one task out of the queue; false where Slurm did not do so.
    func takeOut(_ place: Place) throws(MediaError) -> Bool {
        do throws(MediaError) {
            return try run(["scancel", place.name]).status == 0
        } catch {
            guard error.code == .busy else { throw error }
            return false
        }
    }

    /// Takes jobs out of the queue.
    func cancel(_ jobs: Set<Int>) throws(MediaError) {
        guard !jobs.isEmpty else { return }
        let answer = try run(["scancel"] + jobs.sorted().map(String.init))
        guard answer.status == 0 else { throw Self.refusal("scancel", answer) }
    }

    private static func refusal(_ program: String, _ answer: CommandOutcome) -> MediaError {
        let line = answer.errors.split(separator: "\n").first.map { PlainText.line(String($0)) } ?? ""
        return MediaError(
            SlurmQueue.isFull(answer.errors) ? .busy : .unsupported, "\(program) failed",
            reason: line.isEmpty ? "exit status \(answer.status)" : line,
            wayOut: "`sinfo` shows whether Slurm is there")
    }
}
