/// What is to be done: a file of JSON lines that people can read and edit. The first line is the header; each other one a task,
/// or a file that was left out.
package struct ArchivePlan: Sendable, Hashable {
    package struct Header: Sendable, Hashable {
        /// Of this format.
        package static let version = 1

        /// What made the plan, as `recorder 0.1.0`; another version may give other bytes.
        package var program: String
        package var settings: ArchiveSettings
        /// Where the copies go.
        package var output: RawPath
        package var directories: [RawPath]

        package init(program: String, settings: ArchiveSettings, output: RawPath, directories: [RawPath]) {
            (self.program, self.settings) = (program, settings)
            (self.output, self.directories) = (output, directories)
        }
    }

    package struct Film: Sendable, Hashable {
        package var source: RawPath
        package var identity: SourceIdentity
        package var output: RawPath
        /// Seconds of film.
        package var duration: Double
        /// Seconds of work, roughly.
        package var cost: Double
        /// In place of the header's.
        package var settings: ArchiveSettings?

        package init(
            source: RawPath, identity: SourceIdentity, output: RawPath, duration: Double, cost: Double,
            settings: ArchiveSettings? = nil
        ) {
            (self.source, self.identity, self.output) = (source, identity, output)
            (self.duration, self.cost, self.settings) = (duration, cost, settings)
        }
    }

    package struct Task: Sendable, Hashable {
        /// From 1 on; each once in a plan.
        package var number: Int
        package var work: Work
        /// One, where the work is a part of it.
        package var films: [Film]

        package var cost: Double { films.reduce(0) { $0 + $1.cost } }

        package init(number: Int, _ work: Work = .films, films: [Film]) {
            (self.number, self.work, self.films) = (number, work, films)
        }
    }

    package struct Skipped: Sendable, Hashable {
        package var path: RawPath
        package var reason: String

        package init(path: RawPath, reason: String) { (self.path, self.reason) = (path, reason) }
    }

    package var header: Header
    package var tasks: [Task] = []
    package var skipped: [Skipped] = []

    package init(header: Header) { self.header = header }

    package var filmCount: Int { tasks.reduce(0) { $0 + ($1.work.makesCopies ? $1.films.count : 0) } }
}
