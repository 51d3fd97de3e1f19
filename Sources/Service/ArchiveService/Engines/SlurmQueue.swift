import Foundation

/// Parsers for the output of Slurm's commands.
enum SlurmQueue {
    struct Job: Hashable {
        /// The job number of the array.
        let job: Int
        let index: Int
        /// A state such as `PENDING`, `RUNNING`, `COMPLETING`.
        let state: String
        let node: String
        /// The reason why the job waits.
        let reason: String
    }

    /// Returns the squeue command that lists this user's jobs with a name. Every task of an array gets its own line,
    /// even while the entire array waits.
    static func words(name: String) -> [String] {
        ["squeue", "--noheader", "--array", "--me", "--name=\(name)", "--format=%F|%K|%T|%N|%r"]
    }

    static func jobs(_ text: String) -> [Job] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "|", omittingEmptySubsequences: false)
            guard fields.count == 5, let job = Int(fields[0]) else { return nil }
            // A job that is not an array has N/A instead of an index.
            return Job(
                job: job, index: Int(fields[1]) ?? -1, state: String(fields[2]), node: String(fields[3]),
                reason: String(fields[4]))
        }
    }

    /// Returns true if the task has not ended yet.
    static func isAlive(_ state: String) -> Bool {
        !["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "DEADLINE", "BOOT_FAIL"]
            .contains(state)
    }

    /// Returns the reason why a task waits, with advice; nil if the task only has to wait longer.
    static func stuck(_ reason: String, threads: Int) -> String? {
        let usual = [
            "", "None", "Priority", "Resources", "Dependency", "JobArrayTaskLimit", "BeginTime", "Cleaning", "Prolog",
            "RequeuedReason", "NodeFail",
        ]
        // A task that exceeds a limit of concurrent jobs can run once other jobs have ended. A task that exceeds a
        // limit of its partition or of a single job can never run.
        let passing = ["QOSMax", "QOSGrp", "AssocMax", "AssocGrp"]
        guard !usual.contains(reason), !passing.contains(where: { reason.hasPrefix($0) }) else { return nil }
        return "\(reason); \(wayOut(reason, threads))"
    }

    /// Returns true if Slurm itself holds a task and will not retry it, because it could not begin the task on a node,
    /// or because the task was requeued too often (squeue(1), job reason codes). Returns false if a user holds the
    /// task.
    static func isSetAside(_ reason: String) -> Bool {
        let words = reason.lowercased().replacing("_", with: " ")
        return words.hasPrefix("launch failed") || words == "jobholdmaxrequeue"
    }

    private static func wayOut(_ reason: String, _ threads: Int) -> String {
        switch reason {
        case "PartitionConfig", "BadConstraints", "PartitionNodeLimit":
            "no node has the \(threads) processor\(threads == 1 ? "" : "s") that a task needs: plan again with fewer "
                + "`--threads`, or choose another `--partition`"
        case "PartitionTimeLimit":
            "`--time-limit` exceeds the partition's limit: choose a shorter time, or another `--partition`"
        case let text where text.contains("held") || text.hasPrefix("JobHeld"):
            "see its log for the reason, then run `scontrol release` to retry"
        default: "see `sinfo` and `squeue --me` for details"
        }
    }

    struct End: Hashable {
        /// A state such as `FAILED`, `NODE_FAIL`, `CANCELLED`.
        let state: String
        let exit: Int32
        let signal: Int32
    }

    /// Parses how one job ended from `scontrol show job -o`; nil if the output has no state.
    static func end(_ text: String) -> End? {
        var fields: [Substring: Substring] = [:]
        for word in text.split(whereSeparator: \.isWhitespace) {
            guard let equals = word.firstIndex(of: "=") else { continue }
            fields[word[..<equals]] = word[word.index(after: equals)...]
        }
        guard let state = fields["JobState"] else { return nil }
        let code = (fields["ExitCode"] ?? "0:0").split(separator: ":").map { Int32($0) ?? 0 }
        return End(state: String(state), exit: code.first ?? 0, signal: code.count > 1 ? code[1] : 0)
    }

    /// Parses the job number that `sbatch --parsable` prints: `123` or `123;cluster`.
    static func submitted(_ text: String) -> Int? {
        text.split(separator: "\n").last.flatMap { Int($0.split(separator: ";")[0]) }
    }

    /// Returns true if the refusal of a submission is temporary, and not caused by its arguments.
    static func isFull(_ errors: String) -> Bool {
        isInterrupted(errors)
            || [
                "temporarily unable", "MaxJobCount", "MaxSubmitJob", "submit limit", "Resource temporarily",
                "try again", "Unable to contact", "Connection refused", "standby mode",
            ].contains { errors.localizedCaseInsensitiveContains($0) }
    }

    /// Returns true if the controller stopped or started while it handled a request (slurm_errno.h). It may have
    /// carried out the request nevertheless.
    static func isInterrupted(_ errors: String) -> Bool {
        [
            "timed out", "Unexpected message", "Communication connection", "Communication shutdown", "Zero Bytes",
            "receive failure", "send failure", "Message receive", "Message send", "Header lengths", "Connection reset",
            "Broken pipe", "missing socket", "slurm_msg_sendto", "slurm_receive_msg",
        ].contains { errors.localizedCaseInsensitiveContains($0) }
    }
}
