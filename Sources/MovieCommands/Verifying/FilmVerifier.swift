import AssetIO
package import Foundation
package import MediaTypes
import MovieFile

/// Looks through a film: its tables, everything that can be decoded in it, and the account that its recorder left. Memory is that
/// of a few pictures, whatever its length. Nothing is changed by looking.
package struct FilmVerifier: Sendable {
    /// 0 to 1, from any thread, never backwards.
    package typealias Progress = @Sendable (Double) -> Void

    private let progress: Progress?

    package init(progress: Progress? = nil) { self.progress = progress }

    /// Decodes all of it, which takes about a tenth of the time that playing it does.
    ///
    /// Whatever is wrong with the film is in the result.
    ///
    /// - Throws: `notFound`, `notPermitted`, the disk's error; `unsupported` for what is no regular file; `cancelled` when the task
    ///   is.
    package func verify(_ url: URL) async throws(MediaError) -> FilmVerification {
        let path = url.path
        let file = try DiskFile(path: path, mode: .read)
        let shape = try FileShape(file)
        var film = FilmVerification(file: path, verdict: .sound)
        film.bytes = Int64(clamping: shape.size)
        guard shape.size > 0 else { return Self.none(film, "it is empty") }
        let recording = try look(at: file, shape, &film)
        let tables = try TableCheck(file, shape)
        film.add(tables, shape)
        let isRead = try await decode(url, shape, tables, isRecording: recording != nil, &film)
        film.judge(shape, recording, isUnreadable: !isRead, isBeingWritten: DiskFile.isBeingWritten(path))
        return film
    }

    private static func none(_ film: FilmVerification, _ reason: String) -> FilmVerification {
        var film = film
        film.verdict = .noFilm
        film.problems = [.init(.structure, reason)]
        return film
    }

    /// What a recording that is not finished holds, also one that has lost its beginning; nil for anything else.
    private func look(
        at file: DiskFile, _ shape: FileShape, _ film: inout FilmVerification
    ) throws(MediaError) -> MovieFinisher.Report? {
        guard shape.form == .recording || shape.form == .other || shape.form == .headless else { return nil }
        do throws(MediaError) { return try MovieFinisher.look(at: file) } catch {
            guard error.code == .corruptData || error.code == .unsupported else { throw error }
            return nil
        }
    }

    /// False where nothing could be made of the file.
    private func decode(
        _ url: URL, _ shape: FileShape, _ tables: TableCheck?, isRecording: Bool, _ film: inout FilmVerification
    ) async throws(MediaError) -> Bool {
        let pass: FilmPass
        do throws(MediaError) {
            pass = try await FilmPass(url)
        } catch {
            guard error.code == .corruptData || error.code == .unsupported || error.code == .invalidSample else {
                throw error
            }
            film.addUnreadable(shape, isRecording: isRecording, error)
            return false
        }
        film.add(try await pass.run(progress), listedIn: tables)
        film.addAccount(pass.summary)
        return true
    }
}
