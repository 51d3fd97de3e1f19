import AssetIO
import CommandInterface
import Foundation
package import MediaTypes
import MovieCommands

/// The times at which a long movie is cut into chunks.
package struct ChunkPlan: Sendable, Hashable {
    /// The starts of the second and all later chunks.
    package var starts: [MediaTime]
    /// True if the audio is encoded. A separate task encodes it once for the entire movie.
    package var encodesAudio: Bool

    package init(starts: [MediaTime], encodesAudio: Bool) { (self.starts, self.encodesAudio) = (starts, encodesAudio) }

    /// Searches a movie for keyframes at which it can be cut. Blocks until it is done.
    ///
    /// - Returns: The plan; nil if the movie cannot be cut into several chunks.
    package static func look(at path: RawPath, _ settings: ArchiveSettings, count: Int) -> ChunkPlan? {
        guard let borrowed = try? BorrowedPath(path), var request = try? settings.request() else { return nil }
        request.inputs = [borrowed.url]
        return withExtendedLifetime(borrowed) {
            guard let session = try? Reencoder.session(for: request),
                let encodesAudio = try? session.encodesAudioNow(as: settings.container == "mp4" ? .mp4 : .mov),
                let chunks = try? session.chunksNow(count: count), chunks.count > 1
            else { return nil }
            return ChunkPlan(starts: chunks.dropFirst().map(\.start), encodesAudio: encodesAudio)
        }
    }

    /// Returns the tasks of a movie.
    ///
    /// - Parameter first: The number of the first of these tasks.
    func tasks(of movie: ArchivePlan.Movie, first: Int) -> [ArchivePlan.Task] {
        var tasks: [ArchivePlan.Task] = []
        func add(_ work: ArchivePlan.Work, share: Double) {
            var part = movie
            part.cost = movie.cost * share
            tasks.append(ArchivePlan.Task(number: first + tasks.count, work, movies: [part]))
        }
        let starts = [MediaTime.zero] + starts
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : nil
            let length = (end?.seconds ?? movie.duration) - start.seconds
            add(.frames(from: start, to: end), share: 0.9 * max(0, length) / max(0.001, movie.duration))
        }
        if encodesAudio { add(.audio, share: 0.03) }
        // The join reads the parts, and writes and verifies the movie.
        add(.join(after: tasks.map(\.number)), share: encodesAudio ? 0.07 : 0.1)
        return tasks
    }
}
