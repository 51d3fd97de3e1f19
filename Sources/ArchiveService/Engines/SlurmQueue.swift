import Foundation

/// What Slurm's commands print, read.
enum SlurmQueue {
    struct Job: Hashable {
        /// Of the array.
        let job: Int
        let index: Int
        /// As `PENDING`, `RUNNING`, `COMPLETING`.
        let state: String
        let node: String
        /// Why it waits.
        let reason: String
    }

    /// Of this user and of that name, every task of an array for itself, also those that wait as one.
    static func words(name: String) -> [String] {
        ["squeue", "--noheader", "--array", "--me", "--name=\(name)", "--format=%F|%K|%T|%N|%r"]
    }

    static func jobs(_ text: String) -> [Job] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "|", omittingEmptySubsequences: false)
            guard fields.count == 5, let job = Int(fields[0]) else { return nil }
            // What is no array has N/A in place of an index.
            return Job(
                job: job, index: Int(fields[1]) ?? -1, state: String(fields[2]), node: String(fields[3]),
                reason: String(fields[4]))
        }
    }

    /// Whether the task is still to come to its end.
    static func isAlive(_ state: String) -> Bool {
        !["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "DEADLINE", "BOOT_FAIL"]
            .contains(state)
    }

    /// Why a task waits, and what to do about it, where that will not pass by itself; nil for what a queue is there for.
    static func stuck(_ reason: String, threads: Int) -> String? {
        let usual = [
            "", "None", "Priority", "Resources", "Dependency", "JobArrayTaskLimit", "BeginTime", "Cleaning", "Prolog",
            "RequeuedReason", "NodeFail",
        ]
        // Limits of how much runs at once pass by; those of a partition and of one job do not.
        let passing = ["QOSMax", "QOSGrp", "AssocMax", "AssocGrp"]
        guard !usual.contains(reason), !passing.contains(where: { reason.hasPrefix($0) }) else { return nil }
        return "\(reason); \(wayOut(reason, threads))"
    }

    /// Whether Slurm itself has set a task aside, which it does not take up again: it could not begin it on a node, or gave up
    /// doing so (squeue(1), job reason codes). What a person holds is theirs.
    static func isSetAside(_ reason: String) -> Bool {
        let words = reason.lowercased().replacing("_", with: " ")
        return words.hasPrefix("launch failed") || words == "jobholdmaxrequeue"
    }

    private static func wayOut(_ reason: String, _ threads: Int) -> String {
        switch reason {
        case "PartitionConfig", "BadConstraints", "PartitionNodeLimit":
            "no node has the \(threads) processor\(threads == 1 ? "" : "s") of a task: plan again with fewer `--threads`, "
                + "or take another `--partition`"
        case "PartitionTimeLimit": "the partition has a shorter time limit than `--time-limit`"
        case let text where text.contains("held") || text.hasPrefix("JobHeld"):
            "the logs say why it could not begin, and `scontrol release` lets it try again"
        default: "`sinfo` and `squeue --me` show more"
        }
    }

    struct End: Hashable {
        /// As `FAILED`, `NODE_FAIL`, `CANCELLED`.
        let state: String
        let exit: Int32
        let signal: Int32
    }

    /// How one job ended, from `scontrol show job -o`; nil where it says nothing of it.
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

    /// The number that `sbatch --parsable` prints: `123` or `123;cluster`.
    static func submitted(_ text: String) -> Int? {
        text.split(separator: "\n").last.flatMap { Int($0.split(separator: ";")[0]) }
    }

    /// Whether a refusal is about now, and not about the words.
    static func isFull(_ errors: String) -> Bool {
        [
            "temporarily unable", "MaxJobCount", "MaxSubmitJob", "submit limit", "Resource temporarily",
            "try again", "Unable to contact", "Connection refused", "timed out", "Socket timed out",
            // A controller that goes or comes in the middle of an answer (slurm_errno.h).
            "Unexpected message", "Communication connection", "Communication shutdown", "Zero Bytes", "receive failure",
            "send failure", "Message receive", "Message send", "Header lengths", "standby mode", "Connection reset",
            "Broken pipe",
        ].contains { errors.localizedCaseInsensitiveContains($0) }
    }
}
