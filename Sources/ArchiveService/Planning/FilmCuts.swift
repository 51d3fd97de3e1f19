import AssetIO
import CommandInterface
import Foundation
package import MediaTypes
import MovieCommands

/// The places where a long movie is cut into chunks.
package struct FilmCuts: Sendable, Hashable {
    /// The starts of the second and all later chunks.
    package var starts: [MediaTime]
    /// True if the audio is encoded, which is done once for the entire movie.
    package var encodesSound: Bool

    package init(starts: [MediaTime], encodesSound: Bool) { (self.starts, self.encodesSound) = (starts, encodesSound) }

    /// Searches for keyframes; blocks meanwhile.
    ///
    /// - Returns: nil for a movie that is better encoded in one piece.
    package static func look(at path: RawPath, _ settings: ArchiveSettings, count: Int) -> FilmCuts? {
        guard let borrowed = try? BorrowedPath(path), var request = try? settings.request() else { return nil }
        request.inputs = [borrowed.url]
        return withExtendedLifetime(borrowed) {
            guard let session = try? Reencoder.session(for: request),
                let encodesSound = try? session.encodesSoundNow(as: settings.container == "mp4" ? .mp4 : .mov),
                let stretches = try? session.stretchesNow(count: count), stretches.count > 1
            else { return nil }
            return FilmCuts(starts: stretches.dropFirst().map(\.start), encodesSound: encodesSound)
        }
    }

    /// Returns the tasks of a movie.
    ///
    /// - Parameter first: The number of the first one.
    func tasks(of film: ArchivePlan.Film, first: Int) -> [ArchivePlan.Task] {
        var tasks: [ArchivePlan.Task] = []
        func add(_ work: ArchivePlan.Work, share: Double) {
            var part = film
            part.cost = film.cost * share
            tasks.append(ArchivePlan.Task(number: first + tasks.count, work, films: [part]))
        }
        let starts = [MediaTime.zero] + starts
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : nil
            let length = (end?.seconds ?? film.duration) - start.seconds
            add(.pictures(from: start, to: end), share: 0.9 * max(0, length) / max(0.001, film.duration))
        }
        if encodesSound { add(.sound, share: 0.03) }
        // The join reads, verifies and writes the movie.
        add(.join(after: tasks.map(\.number)), share: encodesSound ? 0.07 : 0.1)
        return tasks
    }
}
