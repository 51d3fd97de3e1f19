import AssetIO
import Foundation
import Glibc
package import MediaTypes
import MovieFile

extension MirroredRecording {
    /// Finalizes both mirrored files after both of their disks failed. Blocks for as long as reading both takes.
    ///
    /// - Parameter isLast: Also finalizes one of them by itself, because nothing waits for the other disk any more.
    /// - Returns: The paths of the complete ones, by their index.
    /// - Throws: `notFound` if neither exists; `busy` while one is being written; a disk's error. Repeat it then.
    package func finalize(isLast: Bool) throws(MediaError) -> [Int: String] {
        let failure: MediaError
        do throws(MediaError) { return try finalizeBoth() } catch { failure = error }
        guard isLast, failure.code != .busy else { throw failure }
        for (index, path) in paths.enumerated() where isMounted(index) {
            let rest = RecordingFileName(final: path).recording
            guard OutputLocation.isThere(rest), let report = try? MovieRepair.repair(URL(fileURLWithPath: rest)) else {
                continue
            }
            return [index: report.file]
        }
        throw failure
    }

    private func finalizeBoth() throws(MediaError) -> [Int: String] {
        for index in paths.indices where !isMounted(index) {
            throw MediaError(errno: ENODEV, "cannot finalize \(paths[index])")
        }
        let result = try MirrorRepair.repair(first, second)
        return Dictionary(uniqueKeysWithValues: zip(paths.indices, result.paths))
    }
}
