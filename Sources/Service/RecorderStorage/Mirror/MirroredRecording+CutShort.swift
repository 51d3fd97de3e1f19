import AssetIO
import FileSystem
import Foundation
import Glibc
package import Logging
package import MediaTypes
import MovieFile

extension MirroredRecording {
    /// Finalizes both mirrored files after both of their disks failed. Blocks for as long as reading both takes.
    ///
    /// - Parameters:
    ///   - isLast: True if the recorder no longer waits for the other disk. If both mirrored files cannot be finalized
    ///     together, one is then finalized alone.
    ///   - log: Gets a message if both are finalized.
    /// - Returns: The paths of the complete mirrored files, by their index.
    /// - Throws: `notFound` if neither file exists; `busy` while the only existing file is being written; otherwise the
    ///   disk's error. The caller should then try again.
    package func finalize(isLast: Bool, log: Logger) throws(MediaError) -> [Int: String] {
        let failure: MediaError
        do throws(MediaError) { return try finalizeBoth(log) } catch { failure = error }
        // Waiting does not help if a disk is full or damaged. One file is finalized now; the list of mirrored
        // recordings completes the other one later.
        guard isLast || !failure.isContinuable else { throw failure }
        // Begins with the longest file: a shorter file can be completed from a longer one later, but not the reverse.
        let sizes = paths.map { path in
            FolderContents.size(of: RecordingFileName(final: path).recording) ?? FolderContents.size(of: path) ?? 0
        }
        for index in paths.indices.sorted(by: { (sizes[$1], $0) < (sizes[$0], $1) }) where isPresent(index) {
            let path = paths[index]
            let rest = RecordingFileName(final: path).recording
            if OutputLocation.isThere(rest) {
                guard let report = try? MovieRepair.repair(URL(fileURLWithPath: rest)) else { continue }
                return [index: report.file]
            }
            // An earlier attempt finalized this file.
            if OutputLocation.isThere(path) { return [index: path] }
        }
        throw failure
    }

    private func finalizeBoth(_ log: Logger) throws(MediaError) -> [Int: String] {
        for index in paths.indices where !isPresent(index) {
            throw MediaError(errno: ENODEV, "cannot finalize \(paths[index])")
        }
        // A disk that was disconnected when the recording file began has no directory for the file.
        for index in paths.indices { try makeDirectories(index) }
        let result = try MirrorRepair.repair(first, second)
        MirroredRecordings.report(result, in: log)
        return Dictionary(uniqueKeysWithValues: zip(paths.indices, result.paths))
    }
}
