import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// The list of a plan's jobs that were submitted to Slurm, in a file of the plan's directory. If a run is killed, the
/// next run reads the list and takes over the jobs.
struct SlurmJournal {
    struct Submission: Codable, Hashable {
        /// The array's job number.
        let job: Int
        /// The tasks, in the order of the array's indices.
        let tasks: [Int]
        /// True if the job joins parts into a copy. Slurm begins the job once the parts exist, even if the run has
        /// ended.
        var isJoin: Bool?
    }

    private let directory: RunDirectory
    private static let name = "submissions.jsonl"

    init(_ directory: RunDirectory) { self.directory = directory }

    private var path: String { "\(directory.slurm)/\(Self.name)" }

    func read() -> [Submission] {
        guard let bytes = FileContents.bytes(of: path) else { return [] }
        let decoder = JSONDecoder()
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap {
            try? decoder.decode(Submission.self, from: Data($0))
        }
    }

    func add(_ submission: Submission) throws(MediaError) {
        let file = try directory.openToAppend(Self.name, in: .slurm)
        defer { close(file) }
        let bytes = Array((JSONText.line(submission) + "\n").utf8)
        let count = write(file, bytes, bytes.count)
        guard count == bytes.count else { throw MediaError(errno: count < 0 ? errno : ENOSPC, "cannot write \(path)") }
    }
}
