package import AssetIO
package import CommandInterface
import Foundation
package import MediaTypes

/// Carries out `recorder repair` on every file.
package struct RepairJob: Sendable {
    /// An event during the run.
    package enum Event: Sendable {
        case repaired(RepairReport)
        case failed(MediaError)
    }

    /// The results for the files: the JSON object of `recorder repair --json`.
    package struct Answer: Encodable, Sendable {
        package struct Failure: Encodable, Sendable {
            package let source: String
            package let error: String
        }

        package fileprivate(set) var files: [RepairReport] = []
        package fileprivate(set) var failures: [Failure] = []
    }

    private let files: [String]
    private let output: String?

    /// Creates a job.
    ///
    /// - Parameters:
    ///   - files: Absolute paths.
    ///   - output: The path of a new file with the result; nil repairs files in place.
    package init(files: [String], output: String?) {
        self.files = files
        self.output = output
    }

    /// Repairs all files.
    ///
    /// - Returns: The answer, and the first failure if there was one.
    package func run(report: (Event) -> Void) -> (Answer, RecordingFailure?) {
        var answer = Answer()
        var failure: RecordingFailure?
        for file in files {
            do throws(MediaError) {
                let repaired = try repair(URL(fileURLWithPath: file))
                answer.files.append(repaired)
                report(.repaired(repaired))
            } catch {
                answer.failures.append(.init(source: file, error: error.description))
                failure = failure ?? RecordingFailure(.input, error)
                report(.failed(error))
            }
        }
        return (answer, failure)
    }

    private func repair(_ file: URL) throws(MediaError) -> RepairReport {
        guard let output else { return try MovieRepair.repair(file) }
        return try MovieRepair.repair(file, into: URL(fileURLWithPath: output))
    }
}
