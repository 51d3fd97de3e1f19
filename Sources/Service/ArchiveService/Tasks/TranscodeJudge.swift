import CommandInterface
import Foundation
import MediaTypes
import MovieCommands

/// A check of a copy against its source.
protocol TranscodeJudging: Sendable {
    /// Checks a copy.
    ///
    /// - Returns: The copy's faults, one line each.
    func faults(of copy: URL, source: URL) async throws(TranscodeFailure) -> [String]
}

/// Verifies copies in this process, as `recorder verify COPY --against SOURCE` does. The entire copy is decoded, and
/// must look and sound like its source. A source is deleted only after this check.
struct TranscodeJudge: TranscodeJudging {
    /// The maximum number of reported faults. More faults would not help the user.
    private static let mostFaults = 5

    func faults(of copy: URL, source: URL) async throws(TranscodeFailure) -> [String] {
        do throws(MediaError) {
            let movie = try await MovieChecker().verify(copy)
            var faults = movie.problems.map(\.text)
            if !movie.isIntact, faults.isEmpty { faults = ["it is not intact"] }
            // A copy that cannot be decoded is not compared.
            if faults.isEmpty {
                faults = try await MovieComparer().compare(copy, against: source).differences.map(\.text)
            }
            let rest = faults.count - Self.mostFaults
            return faults.prefix(Self.mostFaults) + (rest > 0 ? ["and \(rest) more"] : [])
        } catch { throw TranscodeFailure(RecordingFailure(.input, error)) }
    }
}
