import Glibc
package import MediaTypes

/// Finishes a recording that its recorder could not, and gives it its final name.
package enum MovieRepair {
    package struct Result: Sendable, Equatable {
        package var report: MovieFinisher.Report
        /// Where the movie is now.
        package var path: String
        /// The movie is whole, but something of its final name was there already; so it keeps the one it had.
        package var finalNameIsTaken = false
        /// The file was whole and had its final name: nothing was changed.
        package var hadNothingToDo = false
    }

    /// Blocks for as long as it takes to read the fragments' headers.
    ///
    /// - Throws: `busy` while it is being recorded, `corruptData` for what is no recording of ours or ended before its
    ///   first fragment, `notFound`, `notPermitted`, or the disk's error. The recording then is as it was, or can be
    ///   repaired again.
    @discardableResult
    package static func repair(path: String) throws(MediaError) -> Result {
        let file = try DiskFile(path: path, mode: .update)
        var result = Result(report: try finish(file), path: path)
        guard let name = RecordingName(recording: path) else {
            result.hadNothingToDo = result.report.wasFinishedAlready
            return result
        }
        // Left behind by a crash while the header was being moved to the front; the lock says that nobody is at it now.
        unlink(name.rewriting)
        do throws(MediaError) {
            try DiskFile.rename(path, to: name.final, replacing: false)
            result.path = name.final
        } catch {
            guard error.code == .outputExists else { throw error }
            result.finalNameIsTaken = true
        }
        try DiskFile.synchronizeDirectory(of: path)
        return result
    }

    private static func finish(_ file: DiskFile) throws(MediaError) -> MovieFinisher.Report {
        do throws(MediaError) {
            return try MovieFinisher.finish(file)
        } catch {
            guard error.code == .corruptData else { throw error }
            throw MediaError(
                .corruptData, "cannot repair \(file.path)", reason: error.reason, underlying: error.underlying,
                wayOut: "nothing of it was changed")
        }
    }
}
