import AssetIO
import FileSystem
import Foundation
package import MediaTypes
import MovieFile

/// The recordings of a time range, finished and in progress.
extension OwnerPins {
    /// Returns the paths of a recorder's files that overlap a time range. Reads the header of each unfinished movie.
    ///
    /// A file whose times are unknown is included, so that no file of the range is missing.
    ///
    /// - Parameter range: Times in seconds since 1970.
    package func files(of name: RecordingName, in range: ClosedRange<Double>) throws(MediaError) -> [String] {
        let first = try present(RecordingCatalogue(name, in: owner.state), range)
        let known = Set(first.map(Self.relative))
        // Adds the recordings that are only on the second disk.
        let second = try present(owner.mirrorCatalogue(name), range).filter { !known.contains(Self.relative($0)) }
        let unfinished = UnfinishedRecordings(name, in: owner.state).files
            .compactMap { Self.unfinished($0) }.filter { Self.touches($0, range) }
        return (first + second).map(\.path) + unfinished
    }

    private func present(
        _ catalogue: RecordingCatalogue, _ range: ClosedRange<Double>
    ) throws(MediaError) -> [FinishedRecording] {
        try catalogue.recordings(in: range).filter { entry -> Bool in
            switch FilePresence(of: entry.path) {
            case .present(let file): return entry.isSame(file)
            case .absent: return false
            // Keeping the file reports the error.
            case .unknown: return true
            }
        }
    }

    /// Returns the path relative to the output's directory. Both mirrored files have the same relative path.
    private static func relative(_ entry: FinishedRecording) -> String {
        String(entry.path.dropFirst((entry.root ?? entry.directory).count).drop { $0 == "/" })
    }

    /// Returns the temporary path of an unfinished file; nil if the file is finished or missing.
    private static func unfinished(_ path: String) -> String? {
        let temporary = OutputLocation.finalPath(of: path) == nil ? OutputLocation.temporaryPath(of: path) : path
        if case .absent = FilePresence(of: temporary) { return nil }
        return temporary
    }

    private static func touches(_ path: String, _ range: ClosedRange<Double>) -> Bool {
        guard case .present(let file) = FilePresence(of: path) else { return true }
        let summary = try? MovieSummary(contentsOf: URL(fileURLWithPath: path))
        let begin = summary.flatMap { FinishedRecording.Account($0)?.started } ?? -.infinity
        let written = Double(FinishedRecording.Identity(file).modified) / 1e9
        let end = DiskFile.writer(of: path) == nil ? written : .infinity
        // The creation date has full seconds.
        return begin <= range.upperBound + 1 && end >= range.lowerBound - 1
    }
}
