/// A plan: a file of JSON lines that users can read and edit. The first line is the header. Every other line is a task,
/// or a file that was skipped.
package struct ArchivePlan: Sendable, Hashable {
    package struct Header: Sendable, Hashable {
        /// The version of this format.
        package static let version = 1

        /// The program that made the plan, such as `recorder 0.1.0`. Another version may write copies with different
        /// bytes.
        package var program: String
        package var settings: ArchiveSettings
        /// The directory of the copies.
        package var output: RawPath
        package var directories: [RawPath]

        package init(program: String, settings: ArchiveSettings, output: RawPath, directories: [RawPath]) {
            (self.program, self.settings) = (program, settings)
            (self.output, self.directories) = (output, directories)
        }
    }

    package struct Movie: Sendable, Hashable {
        package var source: RawPath
        package var identity: SourceIdentity
        package var output: RawPath
        /// The movie's duration in seconds.
        package var duration: Double
        /// The estimated work in seconds.
        package var cost: Double
        /// The settings for this movie; nil to use those of the header.
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
        /// A number from 1, unique in the plan.
        package var number: Int
        package var work: Work
        /// The movies of the task; only one if the task makes or joins parts.
        package var movies: [Movie]

        package var cost: Double { movies.reduce(0) { $0 + $1.cost } }

        package init(number: Int, _ work: Work = .movies, movies: [Movie]) {
            (self.number, self.work, self.movies) = (number, work, movies)
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

    package var movieCount: Int { tasks.reduce(0) { $0 + ($1.work.makesCopies ? $1.movies.count : 0) } }
}
