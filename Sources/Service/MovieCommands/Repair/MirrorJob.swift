import AssetIO
package import CommandInterface
import FileSystem
import Foundation
package import MediaTypes
import MovieFile

/// Carries out `recorder mirror repair`: makes two directories contain the same recordings.
package struct MirrorJob: Sendable {
    /// The result for one recording.
    package struct Report: Encodable, Sendable {
        /// The outcome: `alike` if both recordings were intact and equal; `completed` if missing data was added;
        /// `different` if both are intact, but each has data that the other lacks.
        package let outcome: String
        package let files: [String]
        package let broughtOver: Int64

        package var text: String? {
            switch outcome {
            case "alike": nil
            case "completed": "\(files.joined(separator: " and ")): intact and identical"
            default: "\(files.joined(separator: " and ")): both are intact, but each contains data that the other lacks"
            }
        }
    }

    package enum Event: Sendable {
        case done(Report)
        case failed(MediaError)
    }

    /// The JSON object of `recorder mirror repair --json`.
    package struct Answer: Encodable, Sendable {
        package struct Failure: Encodable, Sendable {
            package let source: String
            package let error: String
        }

        package fileprivate(set) var recordings: [Report] = []
        package fileprivate(set) var failures: [Failure] = []
    }

    private let directories: [String]

    /// Creates a job.
    ///
    /// - Parameter directories: Two absolute paths.
    package init(directories: [String]) { self.directories = directories }

    /// Repairs all recordings.
    ///
    /// - Returns: The answer, and the first failure if there was one.
    package func run(report: (Event) -> Void) -> (Answer, RecordingFailure?) {
        var answer = Answer()
        var failure: RecordingFailure?
        for name in Set(directories.flatMap(recordings)).sorted() {
            let paths = directories.map { $0.appendingComponent(name) }
            do throws(MediaError) {
                for path in paths { try makeDirectory(of: path) }
                let result = try MirrorRepair.repair(paths[0], paths[1])
                let done = Report(
                    outcome: "\(result.outcome)", files: result.paths, broughtOver: Int64(clamping: result.broughtOver))
                answer.recordings.append(done)
                if result.outcome == .different {
                    failure = failure ?? RecordingFailure(.input, Self.difference(paths))
                }
                report(.done(done))
            } catch {
                answer.failures.append(.init(source: paths[0], error: error.description))
                failure = failure ?? RecordingFailure(.input, error)
                report(.failed(error))
            }
        }
        return (answer, failure)
    }

    private static func difference(_ paths: [String]) -> MediaError {
        MediaError(
            .corruptData, "cannot make \(paths.joined(separator: " and ")) identical",
            reason: "each contains data that the other lacks")
    }

    /// Returns the final names of a directory's recordings, relative to it. Links are not followed.
    private func recordings(_ directory: String) -> [String] {
        FolderContents.files(below: directory).compactMap { name in
            guard !name.lastComponent.hasPrefix(".") else { return nil }
            if let recording = RecordingFileName(recording: name) { return recording.final }
            return isOurs(directory.appendingComponent(name)) ? name : nil
        }
    }

    /// Returns true for a finalized movie made by a recorder.
    private func isOurs(_ path: String) -> Bool {
        guard FileType(fileExtension: path.fileExtension) != nil,
            let summary = try? MovieSummary(contentsOf: URL(fileURLWithPath: path))
        else { return false }
        return summary.metadata[MetadataItem.softwareKey]?.hasPrefix("recorder ") == true
    }

    private func makeDirectory(of path: String) throws(MediaError) {
        let directory = path.parentDirectory
        let code = FolderContents.create(directory)
        guard code == 0 else { throw MediaError(errno: code, "cannot create \(directory)") }
    }
}
