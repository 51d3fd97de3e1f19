package import AssetIO
package import CommandInterface
import Foundation
package import MediaTypes

/// Makes what `recorder repair` was asked for: every file gets its turn.
package struct RepairJob: Sendable {
    /// What happens meanwhile.
    package enum Event: Sendable {
        case repaired(RepairReport)
        case failed(MediaError)
    }

    /// What became of the files: the JSON object of `recorder repair --json`.
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

    /// - Parameters:
    ///   - files: absolute paths.
    ///   - output: where the one file is written anew, instead of being repaired in its place.
    package init(files: [String], output: String?) {
        self.files = files
        self.output = output
    }

    /// - Returns: the answer, and why the first that could not be repaired was not.
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
