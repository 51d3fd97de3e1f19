package import CommandInterface
import Demuxing
import Foundation
package import MediaTypes
import MovieFile
package import Signing

/// Carries out `recorder verify` on every file.
package struct VerifyJob: Sendable {
    /// An event during the run.
    package enum Event: Sendable {
        case verified(Verification)
        case checked(MovieCheck)
        case compared(MovieComparison)
        case failed(MediaError)
        /// The progress of the current file, 0 to 1; from any thread.
        case reached(Double)
        /// A file is done. The value is the number of files done so far.
        case ended(Int)
    }

    /// The results for the files: the JSON object of `recorder verify --json`.
    package struct Answer: Encodable, Sendable {
        package struct Failure: Encodable, Sendable {
            package let file: String
            package let error: String
        }

        /// The results for the signatures; only with a key.
        package fileprivate(set) var files: [Verification] = []
        package fileprivate(set) var movies: [MovieCheck] = []
        package fileprivate(set) var comparisons: [MovieComparison] = []
        package fileprivate(set) var failures: [Failure] = []
        /// The worst result of all files.
        fileprivate var worst = ExitCode.done
        package var exitCode: ExitCode { worst }

        private enum CodingKeys: String, CodingKey {
            case comparisons, failures
            case movies = "files"
            case files = "signatures"
        }
    }

    private let files: [String]
    /// The key; nil if signatures are not checked.
    private let key: VerificationKey?
    private let checksMovies: Bool
    /// The source to compare the only file with; nil for no comparison.
    private let source: String?
    private let options: MovieComparisonOptions

    /// Creates a job.
    ///
    /// - Parameters:
    ///   - files: Absolute paths; those of one recording in order, so that a missing one is detected.
    ///   - checksMovies: True to decode the movies too.
    package init(
        files: [String], key: VerificationKey?, checksMovies: Bool = true, against source: String? = nil,
        options: MovieComparisonOptions = .init()
    ) {
        (self.files, self.key, self.checksMovies) = (files, key, checksMovies)
        (self.source, self.options) = (source, options)
    }

    package func run(report: @escaping @Sendable (Event) -> Void) async -> Answer {
        var answer = Answer()
        var verifier = key.map { MovieVerifier(key: $0) }
        for (index, file) in files.enumerated() {
            defer { report(.ended(index + 1)) }
            do throws(MediaError) {
                if var verified = try verifier?.verify(try DiskFile(path: file, mode: .read), name: file) {
                    if let presentation = verifier?.presentation { Self.compare(&verified, presentation, file) }
                    answer.files.append(verified)
                    if verified.verdict != .genuine { answer.record(.badData) }
                    report(.verified(verified))
                }
                try await check(file, &answer, report)
            } catch {
                answer.failures.append(.init(file: file, error: error.description))
                answer.record(ExitCode(for: RecordingFailure(.input, error)))
                report(.failed(error))
            }
        }
        return answer
    }

    /// Reads the file with a player's parser, and compares the result with what was signed.
    private static func compare(_ verified: inout Verification, _ presentation: Presentation, _ file: String) {
        do throws(MediaError) {
            verified.add(presentation.problems(played: try PlayersView.tracks(file)))
        } catch {
            // A broken title may make the file unreadable. That does not prove that anything else was changed.
            verified.addNotCovered("how players read the file: \(error.reason)")
        }
    }

    private func check(
        _ file: String, _ answer: inout Answer, _ report: @escaping @Sendable (Event) -> Void
    ) async throws(MediaError) {
        guard checksMovies else { return }
        let url = URL(fileURLWithPath: file)
        // If there are two passes, the second takes about as long.
        let half = source == nil ? 1 : 0.5
        let movie = try await MovieChecker { report(.reached($0 * half)) }.verify(url)
        answer.movies.append(movie)
        answer.record(movie.isIntact ? .done : movie.verdict == .recording ? .busy : .badData)
        report(.checked(movie))
        guard let source, movie.verdict != .notMovie else { return }
        let comparison = try await MovieComparer(options) { report(.reached(half + $0 * half)) }
            .compare(url, against: URL(fileURLWithPath: source))
        answer.comparisons.append(comparison)
        if !comparison.isSame { answer.record(.badData) }
        report(.compared(comparison))
    }
}

extension VerifyJob.Answer {
    /// The exit codes from best to worst. A file that is still being recorded is better than a damaged one, because it
    /// may turn out to be intact. A file that cannot be read is worse, because nothing is known about it.
    private static let ranks: [ExitCode] = [.done, .busy, .badData, .noInput, .ioError, .notPermitted]

    fileprivate mutating func record(_ code: ExitCode) {
        let rank = { (code: ExitCode) in Self.ranks.firstIndex(of: code) ?? Self.ranks.count }
        if rank(code) > rank(worst) { worst = code }
    }
}
