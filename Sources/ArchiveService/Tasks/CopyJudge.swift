import CommandInterface
package import Foundation
import MediaTypes
import MovieCommands

/// `recorder verify COPY --against SOURCE` inside this process: the entire copy is decoded, and must look and sound
/// like its source. A source may be deleted on this result.
package struct CopyJudge: FilmJudging {
    /// Further faults would not help the user.
    private static let mostFaults = 5

    package init() {}

    package func faults(
        of copy: URL, source: URL, settings: ArchiveSettings
    ) async throws(FilmFailure) -> [String] {
        do throws(MediaError) {
            let film = try await FilmVerifier().verify(copy)
            var faults = film.problems.map(\.text)
            if !film.isSound, faults.isEmpty { faults = ["it is not intact"] }
            // A copy that cannot be decoded need not be compared.
            if faults.isEmpty {
                faults = try await FilmComparer().compare(copy, against: source).differences.map(\.text)
            }
            let rest = faults.count - Self.mostFaults
            return faults.prefix(Self.mostFaults) + (rest > 0 ? ["and \(rest) more"] : [])
        } catch { throw FilmFailure(RecordingFailure(.input, error)) }
    }
}
