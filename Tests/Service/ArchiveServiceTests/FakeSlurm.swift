import ArchiveService
import MediaTypes

/// A Slurm that records its calls and answers as a test wants.
final class FakeSlurm {
    var calls: [[String]] = []
    /// State, node and perhaps a reason, by array and index.
    var queue: [String: String] = [:]
    private var names: [Int: String] = [:]
    var jobs: [String: String] = [:]
    var refusal: CommandOutcome?
    var isAbsent = false
    /// True if sbatch accepts a job and does not answer.
    var isSilent = false
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
            if isSilent { throw MediaError(.busy, "cannot run sbatch", reason: "it did not finish within 60 s") }
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
