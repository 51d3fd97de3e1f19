package import CommandInterface
import Foundation
package import MediaTypes
import MovieFile
package import Signing

/// Makes what `recorder verify` was asked for: every file gets its turn.
package struct VerifyJob: Sendable {
    /// What is told meanwhile.
    package enum Event: Sendable {
        case verified(Verification)
        case failed(MediaError)
    }

    /// What became of the files: the JSON object of `recorder verify --json`.
    package struct Answer: Encodable, Sendable {
        package struct Failure: Encodable, Sendable {
            package let file: String
            package let error: String
        }

        package fileprivate(set) var files: [Verification] = []
        package fileprivate(set) var failures: [Failure] = []
    }

    private let files: [String]
    private let key: VerificationKey

    /// - Parameter files: absolute paths; of one recording in their order, so that a missing one shows.
    package init(files: [String], key: VerificationKey) {
        self.files = files
        self.key = key
    }

    /// - Returns: the answer, and why the first file that could not be read was not.
    package func run(report: (Event) -> Void) -> (Answer, RecordingFailure?) {
        var answer = Answer()
        var failure: RecordingFailure?
        var verifier = MovieVerifier(key: key)
        for file in files {
            do throws(MediaError) {
                let verified = try verifier.verify(try DiskFile(path: file, mode: .read), name: file)
                answer.files.append(verified)
                report(.verified(verified))
            } catch {
                answer.failures.append(.init(file: file, error: error.description))
                failure = failure ?? RecordingFailure(.input, error)
                report(.failed(error))
            }
        }
        return (answer, failure)
    }
}
