import CommandInterface
import MediaTypes

/// The lines of a plan, as they are written.
package enum PlanText {
    private struct HeaderLine: Encodable {
        let archive: Int
        let program: String
        let settings: ArchiveSettings
        let to: String
        let from: [String]
    }

    private struct FilmFields: Encodable {
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
        let films: [FilmFields]

        private enum CodingKeys: String, CodingKey {
            case task, cost, part, from, to, after
            case films = "files"
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
        var stretch: (from: MediaTime, to: MediaTime?)?
        if case .pictures(let from, let to) = task.work { stretch = (from, to) }
        return JSONText.line(
            TaskLine(
                task: task.number, cost: tenths(task.cost), part: task.work.word,
                from: stretch.map { PlanTime.text($0.from) }, to: stretch?.to.map(PlanTime.text),
                after: task.work.after.isEmpty ? nil : task.work.after,
                films: task.films.map { film in
                    FilmFields(
                        source: film.source.planText, size: film.identity.size, modified: film.identity.modified,
                        inode: film.identity.inode, hash: film.identity.hash, output: film.output.planText,
                        duration: tenths(film.duration * 100) / 100, cost: tenths(film.cost), settings: film.settings)
                }))
    }

    package static func line(_ skipped: ArchivePlan.Skipped) -> String {
        JSONText.line(SkippedLine(skipped: skipped.path.planText, reason: skipped.reason))
    }

    private static func tenths(_ value: Double) -> Double {
        value.isFinite ? (value * 10).rounded() / 10 : 0
    }
}
