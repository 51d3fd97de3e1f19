import FileSystem
import Glibc
package import MediaTypes

/// Finalizes a recording that its recorder could not finalize, and gives the file its final name.
package enum RecordingRepair {
    package struct Result: Sendable, Equatable {
        package var report: MovieFinisher.Report
        /// The path of the movie after the repair.
        package var path: String
        /// True if another file already had the final name, so the movie's name got a number.
        package var finalNameWasTaken = false
        /// True if the file was already finalized and had its final name, so nothing was changed.
        package var hadNothingToDo = false
    }

    /// Repairs a recording in place. Blocks for as long as it takes to read the fragments' headers.
    ///
    /// - Parameter leavesNameFree: true to add a number to the movie's name even if the name is free, because another
    ///   file is about to use it.
    /// - Throws: `busy` while the file is being recorded, `corruptData` if it is not one of our recordings or ended
    ///   before its first fragment, `notFound`, `notPermitted`, or the disk's error. The recording is then unchanged,
    ///   or can be repaired again.
    @discardableResult
    package static func repair(path: String, leavesNameFree: Bool = false) throws(MediaError) -> Result {
        let file = try DiskFile(path: path, mode: .update)
        var result = Result(report: try finish(file), path: path)
        guard let name = RecordingFileName(recording: path) else {
            result.hadNothingToDo = result.report.wasFinishedAlready
            return result
        }
        // If a process crashed while it moved the header to the front, it left this file. The lock proves that no
        // process is using the file.
        if let identity = file.identity { unlink(name.rewriting(of: identity)) }
        result.path = try rename(path, to: name, from: leavesNameFree ? 2 : 1)
        result.finalNameWasTaken = result.path != name.final
        try DiskFile.synchronizeName(of: result.path)
        return result
    }

    /// Writes the movie to another file, with its header first. The source is only read.
    ///
    /// - Throws: `outputExists` if the other name is in use, `corruptData` if there are no fragments, or
    ///   `invalidSettings` for a finalized movie. The call then leaves no new file.
    package static func repair(path: String, into other: String) throws(MediaError) -> Result {
        let source = try DiskFile(path: path, mode: .read)
        var status = stat()
        guard lstat(other, &status) != 0 else { throw MediaError(errno: EEXIST, "cannot create \(other)") }
        let unfinished = PrivateName.beside(other, for: "rewriting")
        let target = try DiskFile(path: unfinished, mode: .create)
        do throws(MediaError) {
            let report = try MovieFinisher.rewrite(source, into: target)
            guard !report.wasFinishedAlready else {
                throw MediaError(
                    .invalidSettings, "cannot repair \(path) into \(other)", reason: "it is intact",
                    wayOut: "copy it instead")
            }
            try DiskFile.rename(unfinished, to: other, replacing: false)
            try DiskFile.synchronizeName(of: other)
            return Result(report: report, path: other)
        } catch {
            DiskFile.remove(unfinished, ifStill: target.identity)
            guard error.code == .corruptData else { throw error }
            throw MediaError(
                .corruptData, "cannot repair \(path)", reason: error.reason, underlying: error.underlying,
                wayOut: "nothing was written")
        }
    }

    /// Gives the movie its final name, or the first free one of `NAME-2`, `NAME-3` …. Existing files are not replaced.
    private static func rename(
        _ path: String, to name: RecordingFileName, from first: Int
    ) throws(MediaError) -> String {
        var number = first
        while true {
            let target = name.numbered(number)
            do throws(MediaError) {
                try DiskFile.rename(path, to: target, replacing: false)
                return target
            } catch {
                guard error.code == .outputExists, number < 1000 else { throw error }
                number += 1
            }
        }
    }

    private static func finish(_ file: DiskFile) throws(MediaError) -> MovieFinisher.Report {
        do throws(MediaError) {
            return try MovieFinisher.finish(file)
        } catch {
            guard error.code == .corruptData else { throw error }
            throw MediaError(
                .corruptData, "cannot repair \(file.path)", reason: error.reason, underlying: error.underlying,
                wayOut: error.wayOut.isEmpty ? "the file was not changed" : error.wayOut)
        }
    }
}
