import CommandInterface
package import Foundation
import MediaTypes
import MovieCommands

/// `recorder verify COPY --against SOURCE` inside of this process: everything in the copy is decoded, and it must show and sound as
/// its source does. A source may be deleted on this word.
package struct CopyJudge: FilmJudging {
    /// More of them tell a person nothing new.
    private static let mostFaults = 5

    package init() {}

    package func faults(
        of copy: URL, source: URL, settings: ArchiveSettings
    ) async throws(FilmFailure) -> [String] {
        do throws(MediaError) {
            let film = try await FilmVerifier().verify(copy)
            var faults = film.problems.map(\.text)
            if !film.isSound, faults.isEmpty { faults = ["it is not sound"] }
            // What cannot be decoded need not be compared.
            if faults.isEmpty {
                faults = try await FilmComparer().compare(copy, against: source).differences.map(\.text)
            }
            let rest = faults.count - Self.mostFaults
            return faults.prefix(Self.mostFaults) + (rest > 0 ? ["and \(rest) more"] : [])
        } catch { throw FilmFailure(RecordingFailure(.input, error)) }
    }
}
