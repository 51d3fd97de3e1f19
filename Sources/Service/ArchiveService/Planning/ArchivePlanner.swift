import CommandInterface
import Foundation
package import MediaTypes

/// Makes a plan. Reads the headers of every movie, and writes the line of each task at once. Even for a hundred
/// thousand movies, it keeps only the names of a few directories in memory (`DirectoryWalk`). Blocks until it is done.
package struct ArchivePlanner {
    package struct Choice: Sendable {
        /// The earliest modification time of planned files, in nanoseconds since 1970; nil to plan all files.
        package var newerThan: Int64?
        package var minimumSize: Int64 = 0
        package var hashes = false
        /// The approximate length of a chunk, in seconds; nil to cut no movie. Movies that are long enough for two
        /// chunks are cut.
        package var chunk: Double?

        package init() {}
    }

    package struct Result: Sendable, Hashable {
        package var tasks = 0
        package var movies = 0
        package var skipped = 0
        /// The total duration of the movies in seconds.
        package var duration = 0.0
        package var bytes: Int64 = 0
        /// The estimated work in seconds.
        package var cost = 0.0
    }

    /// The approximate cost of a task, in seconds of work. The time to start a task is negligible in comparison, and
    /// little work is lost if a task is killed.
    package static let usualCost = 600.0
    private static let largestCost = 1200.0

    private let header: ArchivePlan.Header
    private let choice: Choice
    private let look: (RawPath) throws(SourceProbe.Refusal) -> SourceProbe
    private let cut: (RawPath, ArchiveSettings, Int) -> ChunkPlan?

    /// Creates a planner.
    ///
    /// - Parameters:
    ///   - look: Reads a movie's headers.
    ///   - cut: Finds the times at which a movie can be cut into a number of chunks.
    package init(
        _ header: ArchivePlan.Header, _ choice: Choice = Choice(),
        look: @escaping (RawPath) throws(SourceProbe.Refusal) -> SourceProbe = SourceProbe.look,
        cut: @escaping (RawPath, ArchiveSettings, Int) -> ChunkPlan? = ChunkPlan.look
    ) {
        (self.header, self.choice, self.look, self.cut) = (header, choice, look, cut)
    }

    /// Makes the plan.
    ///
    /// - Parameter write: A closure that receives the lines, one after the other.
    /// - Throws: An error if a source directory cannot be read, or if two source directories have the same name. Also
    ///   throws the errors of `write`.
    package func plan(_ write: (String) throws(MediaError) -> Void) throws(MediaError) -> Result {
        let roots = try roots()
        try write(PlanText.line(header))
        var result = Result()
        var gathered: [ArchivePlan.Movie] = []
        var gatheredCost = 0.0
        func close() throws(MediaError) {
            guard !gathered.isEmpty else { return }
            result.tasks += 1
            try write(PlanText.line(ArchivePlan.Task(number: result.tasks, movies: gathered)))
            (gathered, gatheredCost) = ([], 0)
        }
        var names = OutputNames(container: header.settings.container)
        let walk = DirectoryWalk(leavingOut: header.output)
        for (root, target) in roots {
            try walk.walk(root) { entry throws(MediaError) in
                let movie: ArchivePlan.Movie
                switch entry {
                case .skipped(let path, let reason):
                    result.skipped += 1
                    return try write(PlanText.line(ArchivePlan.Skipped(path: path, reason: reason)))
                case .file(let path, let facts):
                    if let newest = choice.newerThan, SourceIdentity(facts).modified < newest { return }
                    guard Int64(facts.st_size) >= choice.minimumSize else { return }
                    do throws(SourceProbe.Refusal) {
                        movie = try self.movie(path, facts, below: root, target, &names)
                    } catch {
                        result.skipped += 1
                        return try write(PlanText.line(ArchivePlan.Skipped(path: path, reason: error.reason)))
                    }
                }
                result.movies += 1
                result.duration += movie.duration
                result.bytes = ArchiveSize.sum(result.bytes, movie.identity.size)
                result.cost += movie.cost
                if let cuts = cuts(movie) {
                    for task in cuts.tasks(of: movie, first: result.tasks + 1) {
                        result.tasks += 1
                        try write(PlanText.line(task))
                    }
                    return
                }
                if gatheredCost + movie.cost > Self.largestCost { try close() }
                gathered.append(movie)
                gatheredCost += movie.cost
                if gatheredCost >= Self.usualCost { try close() }
            }
        }
        try close()
        return result
    }

    /// Returns the times at which a movie is cut; nil if one task encodes the entire movie.
    private func cuts(_ movie: ArchivePlan.Movie) -> ChunkPlan? {
        guard let chunk = choice.chunk, chunk > 0 else { return nil }
        let count = (movie.duration / chunk).rounded()
        guard count >= 2, count < 10_000 else { return nil }
        return cut(movie.source, header.settings, Int(clamping: count))
    }

    private func movie(
        _ path: RawPath, _ facts: stat, below root: RawPath, _ target: RawPath, _ names: inout OutputNames
    ) throws(SourceProbe.Refusal) -> ArchivePlan.Movie {
        let look = try look(path)
        var identity = SourceIdentity(facts)
        if choice.hashes {
            do throws(MediaError) { identity.hash = try SourceIdentity.hash(of: path) } catch {
                throw SourceProbe.Refusal("it cannot be read: \(error.reason)")
            }
        }
        let inside = path.directory.bytes.dropFirst(root.bytes.count).drop { $0 == UInt8(ascii: "/") }
        let directory = inside.isEmpty ? target : target.appending(inside)
        return ArchivePlan.Movie(
            source: path, identity: identity, output: names.output(for: path.name, in: directory),
            duration: look.duration, cost: CostEstimate.seconds(look, header.settings))
    }

    /// Returns each source directory with the directory of its copies. If there is only one source directory, its
    /// copies are in the output directory itself.
    private func roots() throws(MediaError) -> [(RawPath, RawPath)] {
        guard header.directories.count > 1 else { return header.directories.map { ($0, header.output) } }
        var names: [[UInt8]: RawPath] = [:]
        for directory in header.directories {
            if let other = names.updateValue(directory, forKey: directory.name) {
                throw MediaError(
                    .invalidSettings, "cannot plan \(directory.display)",
                    reason: "it has the same name as \(other.display), and their copies would be in one directory",
                    wayOut: "make a separate plan for each directory")
            }
        }
        return header.directories.map { ($0, header.output.appending($0.name)) }
    }
}
