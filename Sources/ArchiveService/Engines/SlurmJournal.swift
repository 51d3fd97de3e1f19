import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// What Slurm was given for a plan, in the plan's directory: whoever comes after a run that was killed takes it up.
struct SlurmJournal {
    struct Submission: Codable, Hashable {
        /// Of the array.
        let job: Int
        /// In the order of the array's indices.
        let tasks: [Int]
        /// It is a join that Slurm begins once what it joins is there, whether or not its run still lives.
        var isJoin: Bool?
    }

    private let path: String

    init(_ directory: RunDirectory) { path = directory.slurm + "/submissions.jsonl" }

    func read() -> [Submission] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        let decoder = JSONDecoder()
        return data.split(separator: UInt8(ascii: "\n")).compactMap { try? decoder.decode(Submission.self, from: $0) }
    }

    func add(_ submission: Submission) throws(MediaError) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        defer { close(file) }
        let bytes = Array((JSONText.line(submission) + "\n").utf8)
        let count = write(file, bytes, bytes.count)
        guard count == bytes.count else { throw MediaError(errno: count < 0 ? errno : ENOSPC, "cannot write \(path)") }
    }
}
