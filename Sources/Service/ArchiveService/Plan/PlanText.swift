import CommandInterface
import MediaTypes

/// Encodes the lines of a plan.
package enum PlanText {
    private struct HeaderLine: Encodable {
        let archive: Int
        let program: String
        let settings: ArchiveSettings
        let to: String
        let from: [String]
    }

    private struct MovieFields: Encodable {
        let source: String
        let size: Int64
        let modified: Int64
        let inode: UInt64
        let hash: String?
        let output: String
        let duration: Double
        let cost: Double
        let settings: ArchiveSettings?
    }

    private struct TaskLine: Encodable {
        let task: Int
        let cost: Double
        let part: String?
        let from: String?
        let to: String?
        let after: [Int]?
        let movies: [MovieFields]

        private enum CodingKeys: String, CodingKey {
            case task, cost, part, from, to, after
            case movies = "files"
        }
    }

    private struct SkippedLine: Encodable {
        let skipped: String
        let reason: String
    }

    package static func line(_ header: ArchivePlan.Header) -> String {
        JSONText.line(
            HeaderLine(
                archive: ArchivePlan.Header.version, program: header.program, settings: header.settings,
                to: header.output.planText, from: header.directories.map(\.planText)))
    }

    package static func line(_ task: ArchivePlan.Task) -> String {
        var chunk: (from: MediaTime, to: MediaTime?)?
        if case .frames(let from, let to) = task.work { chunk = (from, to) }
        return JSONText.line(
            TaskLine(
                task: task.number, cost: tenths(task.cost), part: task.work.word,
                from: chunk.map { PlanTime.text($0.from) }, to: chunk?.to.map(PlanTime.text),
                after: task.work.after.isEmpty ? nil : task.work.after,
                movies: task.movies.map { movie in
                    MovieFields(
                        source: movie.source.planText, size: movie.identity.size, modified: movie.identity.modified,
                        inode: movie.identity.inode, hash: movie.identity.hash, output: movie.output.planText,
                        duration: tenths(movie.duration * 100) / 100, cost: tenths(movie.cost), settings: movie.settings
                    )
                }))
    }

    package static func line(_ skipped: ArchivePlan.Skipped) -> String {
        JSONText.line(SkippedLine(skipped: skipped.path.planText, reason: skipped.reason))
    }

    private static func tenths(_ value: Double) -> Double {
        value.isFinite ? (value * 10).rounded() / 10 : 0
    }
}
