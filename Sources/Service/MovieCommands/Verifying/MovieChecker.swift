import AssetIO
package import Foundation
package import MediaTypes
import MovieFile

/// Checks a movie: its tables, all decodable media, and its recorder's drop counts. The memory use is that of a few
/// frames, however long the movie is. The file is not changed.
package struct MovieChecker: Sendable {
    /// The progress, 0 to 1, from any thread; it never decreases.
    package typealias Progress = @Sendable (Double) -> Void

    private let progress: Progress?

    package init(progress: Progress? = nil) { self.progress = progress }

    /// Decodes the entire movie, which takes about a tenth of its duration.
    ///
    /// All problems of the movie are in the result.
    ///
    /// - Throws: `notFound`, `notPermitted`, the disk's error; `unsupported` if `url` is not a regular file, or is an
    ///   intact movie with more tracks than can be checked; `cancelled` if the task is cancelled.
    package func verify(_ url: URL) async throws(MediaError) -> MovieCheck {
        let path = url.path
        let file = try DiskFile(path: path, mode: .read)
        let shape = try FileShape(file)
        var movie = MovieCheck(file: path, verdict: .ok)
        movie.bytes = Int64(clamping: shape.size)
        guard shape.size > 0 else { return Self.none(movie, "it is empty") }
        let recording = try look(at: file, shape, &movie)
        let tables = try TableCheck(file, shape)
        movie.add(tables, shape)
        let isRead = try await decode(url, shape, tables, isRecording: recording != nil, &movie)
        movie.judge(shape, recording, isUnreadable: !isRead, isBeingWritten: DiskFile.isBeingWritten(path))
        if let problem = movie.problems.first, movie.problems.count == 1, problem.isUnchecked {
            throw MediaError(.unsupported, "cannot check \(path)", reason: problem.what)
        }
        return movie
    }

    private static func none(_ movie: MovieCheck, _ reason: String) -> MovieCheck {
        var movie = movie
        movie.verdict = .notMovie
        movie.problems = [.init(.structure, reason)]
        return movie
    }

    /// Returns the contents of an unfinished recording, even if its beginning is lost; nil for any other file.
    private func look(
        at file: DiskFile, _ shape: FileShape, _ movie: inout MovieCheck
    ) throws(MediaError) -> MovieFinisher.Report? {
        guard shape.form == .recording || shape.form == .other || shape.form == .headless else { return nil }
        do throws(MediaError) { return try MovieFinisher.look(at: file) } catch {
            guard error.code == .corruptData || error.code == .unsupported else { throw error }
            return nil
        }
    }

    /// Decodes the movie. Returns false if the file could not be read at all.
    private func decode(
        _ url: URL, _ shape: FileShape, _ tables: TableCheck?, isRecording: Bool, _ movie: inout MovieCheck
    ) async throws(MediaError) -> Bool {
        let pass: DecodingPass
        do throws(MediaError) {
            pass = try await DecodingPass(url)
        } catch {
            guard error.code == .corruptData || error.code == .unsupported || error.code == .invalidSample else {
                throw error
            }
            movie.addUnreadable(shape, isRecording: isRecording, error)
            return false
        }
        guard pass.trackCount <= DecodingPass.mostTracks else {
            movie.problems.append(
                .init(
                    .notDecoded,
                    "it has \(pass.trackCount) tracks, and at most \(DecodingPass.mostTracks) can be checked"))
            return true
        }
        let results = try await pass.run(progress)
        let listed = { id in tables?.tracks.first { Int($0.id) == id } }
        let missing = try await pass.missingReferences(results, listed: listed)
        let secondFields = try await pass.secondFields(results, listed: listed)
        movie.add(results, listedIn: tables, missing: missing, secondFields: secondFields)
        movie.addAccount(pass.summary)
        return true
    }
}
