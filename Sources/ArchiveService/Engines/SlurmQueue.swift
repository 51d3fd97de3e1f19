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
    }

    /// Of this user, every task of an array for itself, also those that wait as one.
    static let words = ["squeue", "--noheader", "--array", "--me", "--format=%F|%K|%T|%N"]

    static func jobs(_ text: String) -> [Job] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "|", omittingEmptySubsequences: false)
            guard fields.count == 4, let job = Int(fields[0]), let index = Int(fields[1]) else { return nil }
            return Job(job: job, index: index, state: String(fields[2]), node: String(fields[3]))
        }
    }

    /// Whether the task is still to come to its end.
    static func isAlive(_ state: String) -> Bool {
        !["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "DEADLINE", "BOOT_FAIL"]
            .contains(state)
    }

    /// The state of one job, from `scontrol show job -o`; nil where it says none.
    static func state(_ text: String) -> (state: String, exit: Int32, signal: Int32)? {
        var fields: [Substring: Substring] = [:]
        for word in text.split(whereSeparator: \.isWhitespace) {
            guard let equals = word.firstIndex(of: "=") else { continue }
            fields[word[..<equals]] = word[word.index(after: equals)...]
        }
        guard let state = fields["JobState"] else { return nil }
        let code = (fields["ExitCode"] ?? "0:0").split(separator: ":").map { Int32($0) ?? 0 }
        return (String(state), code.first ?? 0, code.count > 1 ? code[1] : 0)
    }

    /// The number that `sbatch --parsable` prints: `123` or `123;cluster`.
    static func submitted(_ text: String) -> Int? {
        text.split(separator: "\n").last.flatMap { Int($0.split(separator: ";")[0]) }
    }

    /// Whether a refusal of sbatch is about now, and not about the words.
    static func isFull(_ errors: String) -> Bool {
        [
            "temporarily unable", "MaxJobCount", "MaxSubmitJob", "submit limit", "Resource temporarily",
            "try again", "Unable to contact", "Connection refused", "timed out", "Socket timed out",
        ].contains { errors.localizedCaseInsensitiveContains($0) }
    }
}
